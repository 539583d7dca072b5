// The paper's density estimators, as in condped: counts in, masses out, each summing to 1.
function tail(x) {
  // The complementary error function for x >= 0, to seven digits.
  const t = 1 / (1 + x / 2);
  const series = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807,
    -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  let exponent = 0;
  for (let place = series.length - 1; place >= 0; place -= 1) exponent = exponent * t + series[place];
  return t * Math.exp(-x * x + exponent);
}

function bandwidth(counts, total) {
  const some = Math.max(total, 1);
  const mean = sum(counts.map((count, cell) => count * cell)) / some;
  const squares = sum(counts.map((count, cell) => count * (cell - mean) ** 2));
  const spread = Math.sqrt(squares / Math.max(1, total - 1));
  const quarter = Math.max(Math.floor(total / 4), 1), three = Math.floor((3 * total) / 4);
  let reached = 0, first = 0, third = 0;
  for (const count of counts) {
    reached += count;
    if (reached < quarter) first += 1;
    if (reached <= three) third += 1;
  }
  const scott = 1.059 * Math.min((third - first) / 1.34, spread) * some ** -0.2;
  return Math.max(scott, 0.5 / 1.64);
}

function priorMasses(cells) {
  const edge = (place) => (place - 0.5 - (cells - 1) / 2) / (cells * Math.SQRT2);
  const below = (x) => (x < 0 ? tail(-x) / 2 : 1 - tail(x) / 2);
  const masses = Array.from({ length: cells }, (_, k) => below(edge(k + 1)) - below(edge(k)));
  const whole = sum(masses);
  return masses.map((mass) => mass / whole);
}

function numericMasses(counts) {
  const cells = counts.length, total = sum(counts);
  const sigma = bandwidth(counts, total) * Math.SQRT2;
  const upper = counts.map((_, cell) => tail((cell + 0.5) / sigma) / 2);
  const kernel = upper.map((value, cell) => (cell ? upper[cell - 1] - value : 1 - 2 * value));
  const masses = priorMasses(cells);
  counts.forEach((count, from) => {
    if (!count) return;
    const weight = count / (1 - upper[from] - upper[cells - 1 - from]);
    for (let to = 0; to < cells; to += 1) masses[to] += weight * kernel[Math.abs(to - from)];
  });
  return masses.map((mass) => mass / (total + 1));
}

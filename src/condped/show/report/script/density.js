// Where target trials lie among all trials of a regime.
function densityChart(parameter, regime, width) {
  return regime.domain.choices ? choiceChart(parameter, regime) : numberChart(parameter, regime, width);
}

function placeOf(domain, value) {
  const scale = domain.log ? Math.log : Number;
  const low = scale(domain.low), high = scale(domain.high);
  return high > low ? (scale(value) - low) / (high - low) : 0.5;
}

function numberChart(parameter, regime, width) {
  const domain = regime.domain, region = regionCounts(regime), target = targetCounts(regime);
  const cells = region.length, height = 150;
  const values = domain.step ? Math.round((domain.high - domain.low) / domain.step) + 1 : Infinity;
  const bars = cells <= 20 && values === cells && !domain.log;
  const densities = [region, target].map((counts) => (bars
    ? counts.map((number) => cells * number / Math.max(1, sum(counts)))
    : numericMasses(counts).map((mass) => mass * cells)));
  const highest = Math.max(...densities.flat(), 1);
  const frame = { left: 52, right: width - 10, top: 12, bottom: height - 26 };
  const margin = bars ? 0.5 / cells : 0;
  const x = (place) => frame.left + (frame.right - frame.left) * (margin + place * (1 - 2 * margin));
  const y = (density) => frame.bottom - (frame.bottom - frame.top) * density / highest;
  const picture = drawn("svg", { class: "density", width, height, role: "img" },
    drawn("title", {}, densityWords(parameter, regime)));
  const half = bars ? (frame.right - frame.left) / cells / 2 : 0;
  for (const { range } of goodOf(regime)) {
    const left = x(placeOf(domain, range[0])) - half, right = x(placeOf(domain, range[1])) + half;
    const wide = Math.max(3, right - left);
    picture.append(drawn("rect", { class: "good", x: left, y: frame.top - 6, width: wide, height: frame.bottom - frame.top + 6 }),
      drawn("rect", { class: "good-edge", x: left, y: frame.bottom, width: wide, height: 4 }));
  }
  const centre = (cell) => (cells > 1 ? cell / (cells - 1) : 0.5);
  if (bars) {
    const wide = Math.max(2, 2 * half - 3);
    densities[0].forEach((density, cell) => picture.append(drawn("rect", { class: "region", x: x(centre(cell)) - wide / 2, y: y(density), width: wide, height: frame.bottom - y(density) })));
    densities[1].forEach((density, cell) => picture.append(drawn("rect", { class: "target", x: x(centre(cell)) - wide / 4, y: y(density), width: wide / 2, height: frame.bottom - y(density) })));
  } else {
    const line = (density) => density.map((value, cell) => `${cell ? "L" : "M"}${x(centre(cell)).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    picture.append(drawn("path", { class: "region", d: `${line(densities[0])}L${frame.right} ${frame.bottom}L${frame.left} ${frame.bottom}Z` }));
    if (sum(target)) picture.append(drawn("path", { class: "target", d: line(densities[1]) }));
  }
  picture.append(drawn("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }));
  picture.append(...placedTicks(ticksOf(domain, bars ? values : 0, width), frame, (tick) => x(placeOf(domain, tick))));
  return picture;
}

// Ticks with their labels. The first and the last take precedence; of the others, those without room are left out.
function placedTicks(ticks, frame, x) {
  const taken = [], made = [];
  for (const tick of new Set([ticks[0], ticks[ticks.length - 1], ...ticks])) {
    const at = x(tick), text = short(tick), wide = 7 * text.length;
    const anchor = at < frame.left + 20 ? "start" : at > frame.right - 20 ? "end" : "middle";
    const start = anchor === "start" ? at : anchor === "end" ? at - wide : at - wide / 2;
    if (taken.some(([from, to]) => start < to + 10 && from < start + wide + 10)) continue;
    taken.push([start, start + wide]);
    made.push(drawn("line", { class: "axis", x1: at, x2: at, y1: frame.bottom, y2: frame.bottom + 5 }),
      drawn("text", { class: "tick", x: at, y: frame.bottom + 19, "text-anchor": anchor }, text));
  }
  return made;
}

function ticksOf(domain, values, width) {
  if (domain.low === domain.high) return [domain.low];
  if (values && values <= 20) {
    const all = Array.from({ length: values }, (_, i) => domain.low + i * domain.step);
    return all.map((value) => Number(value.toPrecision(12)));
  }
  if (domain.log) {
    const from = Math.ceil(Math.log10(domain.low) - 1e-9), to = Math.floor(Math.log10(domain.high) + 1e-9);
    if (to - from >= 1) {
      const every = Math.ceil((to - from + 1) / (width / 60));
      return Array.from({ length: to - from + 1 }, (_, i) => Number(`1e${from + i}`)).filter((_, i) => i % every === 0);
    }
    return [domain.low, Number(Math.sqrt(domain.low * domain.high).toPrecision(2)), domain.high];
  }
  const rough = (domain.high - domain.low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let tick = Math.ceil(domain.low / step - 1e-9); tick * step <= domain.high * (1 + 1e-12) + step * 1e-9 && ticks.length < 20; tick += 1) {
    ticks.push(Number((tick * step).toPrecision(12)));
  }
  return ticks;
}

function densityWords(parameter, regime) {
  const target = sum(targetCounts(regime)), region = sum(regionCounts(regime));
  const good = goodOf(regime).map((one) => one.label).join(", ");
  return `${parameter.name} in ${regime.label}: ${whole(target)} of ${whole(region)} trials are in the target set${good ? `; ${ENRICHED.words} ${good}` : ""}.`;
}

const MOST_CHOICES = 12;
function choiceChart(parameter, regime) {
  const region = regionCounts(regime), target = targetCounts(regime);
  const all = Math.max(1, sum(region)), reached = Math.max(1, sum(target));
  const good = new Set(goodOf(regime).flatMap((one) => one.places));
  let rows = regime.domain.choices.map((label, place) => ({ label, good: good.has(place), target: target[place] / reached, region: region[place] / all }));
  if (rows.length > MOST_CHOICES) {
    rows.sort((a, b) => b.target - a.target || b.region - a.region);
    const rest = rows.slice(MOST_CHOICES - 1);
    rows = [...rows.slice(0, MOST_CHOICES - 1), { label: `${rest.length} others`, good: false,
      target: sum(rest.map((row) => row.target)), region: sum(rest.map((row) => row.region)) }];
  }
  const widest = Math.max(...rows.map((row) => Math.max(row.target, row.region)), 0.01);
  const pair = (row) => {
    const picture = drawn("svg", { width: "100%", height: 22, "aria-hidden": "true" });
    const wide = (value) => `${100 * value / widest}%`;
    picture.append(drawn("rect", { class: "region", x: 0, y: 12, width: wide(row.region), height: 7, rx: 1 }),
      drawn("rect", { class: "target", x: 0, y: 3, width: wide(row.target), height: 7, rx: 1 }));
    return picture;
  };
  return table(densityWords(parameter, regime), ["Choice", "", "Target", "All", ""],
    rows.map((row) => [element("span", { title: row.label }, cut(row.label, 28)), pair(row), percent(row.target), percent(row.region),
      row.good ? element("span", { class: "good-tag" }, ENRICHED.tag) : ""]), [2, 3]);
}

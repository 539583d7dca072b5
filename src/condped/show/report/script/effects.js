// Effects in units of the objective: medians with their intervals, and what single trials reached.

// How many digits show how values differ: two of those in which they do, as digits_for has it in Python.
function digitsFor(values) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  const spread = Math.max(...known) - Math.min(...known), largest = Math.max(...known.map(Math.abs));
  if (!(spread > 0) || !Number.isFinite(spread)) return 3;
  return Math.min(9, Math.max(3, 2 + Math.floor(Math.log10(largest / spread))));
}

function inUnits(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return whole(value);
  const size = Math.abs(value), text = value.toPrecision(digits);
  if (size >= 1e6 || size > 0 && size < 1e-4) return value.toExponential(Math.min(digits - 1, 2)).replace("e+", "e");
  return text.includes("e") ? whole(value) : size >= 1e4 ? Number(text).toLocaleString("en-US") : text;
}

// What trials with good values of a regime reached, compared with the others in it; null if unknown.
const contrastOf = (regime) => regime.effect?.contrast?.[state.step] || null;

// "median error 0.12, with other values 0.31", for each objective. Good values are those that target trials
// have more often; the median of all trials that have them need not be better.
function contrastWords(contrast) {
  const [inside, outside] = contrast;
  return data.objectives.map(([name, direction], place) => {
    const [one, low, high] = inside[1 + place], [other, otherLow, otherHigh] = outside[1 + place];
    const better = direction === "maximize" ? one > other : one < other;
    const digits = digitsFor([one, low, high, other, otherLow, otherHigh]), known = low !== null && otherLow !== null;
    const apart = known && (high < otherLow || low > otherHigh);
    const sure = apart || !known, judged = better && sure ? "" : one === other ? " (the same)" : sure ? " (worse)" : better ? " (not clearly better)" : " (no better)";
    const words = [element("span", { class: judged ? "" : "reached" }, inUnits(one, digits)), `, with other values ${inUnits(other, digits)}${judged}`];
    return element("span", { class: "effect" }, `median ${cut(name, 24)} `, words);
  }).flatMap((words, place) => (place ? [", ", words] : [words]));
}

// The same in detail, for a card.
function contrastSentence(contrast) {
  const [inside, outside, sameTime] = contrast;
  const part = (group, place, digits) => {
    const [median, low, high, best] = group[1 + place];
    const interval = low === null ? "" : ` [${inUnits(low, digits)}, ${inUnits(high, digits)}]`;
    return `${inUnits(median, digits)}${interval}, best ${inUnits(best, digits)} (${count(group[0], "trial")})`;
  };
  return data.objectives.map(([name], place) => {
    const digits = digitsFor([inside[1 + place], outside[1 + place]].flatMap(([median, low, high]) => [median, low, high]));
    const same = sameTime[place];
    const paired = same ? ` Among neighbouring trials, the one inside is better in ${percent(same[1] - same[2] / 2)}${same[2] ? `, both are equal in ${percent(same[2])}` : ""} of ${whole(same[0])} pairs.` : "";
    return element("p", { class: "good-words" }, `Median ${cut(name, 32)} inside ${part(inside, place, digits)}; outside ${part(outside, place, digits)}${asOf(", ")}.${paired}`);
  });
}

// The lowest and highest value to draw. Much worse ones are put on the edge, as they would hide the
// differences among good ones.
function objectiveRange(place) {
  const values = data.sample.objectives[place].filter((value) => value !== null).sort((a, b) => a - b);
  if (!values.length) return null;
  if (data.objectives[place][1] === "maximize") values.reverse();
  const at = (share) => values[Math.round(share * (values.length - 1))];
  const best = values[0], middle = at(0.5), bad = at(0.95);
  const far = best + 4 * (middle - best);
  const worst = middle !== best && Math.abs(far - best) < Math.abs(bad - best) ? far : bad;
  const room = 0.06 * (Math.abs(worst - best) || Math.abs(best) || 1);
  const low = Math.min(best, worst), high = Math.max(best, worst);
  return { low: low - room, high: high + room, ticks: low === high ? [low] : [low, (low + high) / 2, high] };
}

// The range of the study, unless most trials of the regime would lie beyond it.
function regimeRange(parameter, regime, objective) {
  const range = objectiveRange(objective), where = parameter.regimes.indexOf(regime);
  const own = data.sample.objectives[objective].filter((value, trial) => value !== null && data.sample.regimes[parameter.place][trial] === where).sort((a, b) => a - b);
  const beyond = range ? own.filter((value) => value < range.low || value > range.high) : [];
  if (!range || 2 * beyond.length <= own.length) return range && { ...range, beyond: beyond.length };
  const low = own[0], high = own[own.length - 1], room = 0.06 * (high - low || Math.abs(high) || 1);
  return { low: low - room, high: high + room, ticks: low === high ? [low] : [low, (low + high) / 2, high], beyond: 0 };
}

const jitter = (number) => ((number * 0.618034) % 1) - 0.5;
const stateNames = { p: "pruned", i: "infeasible" };
const inTargetNow = (trial) => data.sample.steps[trial] !== null && data.sample.steps[trial] <= state.step;
function trialClass(trial) {
  const ended = data.sample.states[trial];
  return `trial ${inTargetNow(trial) ? "in" : "out"}${ended === "c" ? "" : ` ${stateNames[ended] || "other"}`}`;
}

const placeInRange = ({ low, high }, value) => (Math.min(high, Math.max(low, value)) - low) / (high - low);

function objectiveAxis(picture, frame, range, y) {
  const digits = Math.min(digitsFor(range.ticks), 4);
  for (const value of range.ticks) {
    picture.append(drawn("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y(value), y2: y(value) }),
      drawn("text", { class: "tick", x: frame.left - 6, y: y(value) + 4, "text-anchor": "end" }, inUnits(value, digits)));
  }
}

// Value against objective for the trials of one regime, with medians; null if nothing is known.
function sliceChart(parameter, regime, objective, width) {
  const sample = data.sample, values = sample?.values[parameter.place];
  const range = values && regimeRange(parameter, regime, objective);
  if (!range) return null;
  const domain = regime.domain, where = parameter.regimes.indexOf(regime), choices = domain.choices;
  const height = 190, frame = { left: 52, right: width - 10, top: 8, bottom: height - 26 };
  const wide = frame.right - frame.left;
  const x = (value) => frame.left + wide * (choices ? (value + 0.5) / choices.length : placeOf(domain, value));
  const y = (value) => frame.bottom - (frame.bottom - frame.top) * placeInRange(range, value);
  const picture = drawn("svg", { class: "slice", width, height, role: "img" }, drawn("title", {}, sliceWords(parameter, regime, objective)));
  objectiveAxis(picture, frame, range, y);
  const dots = [];
  sample.regimes[parameter.place].forEach((place, trial) => {
    const reached = sample.objectives[objective][trial];
    if (place !== where || reached === null) return;
    const spread = choices ? jitter(sample.numbers[trial]) * 0.6 * wide / choices.length : 0;
    dots.push([trial, `M${(x(values[trial]) + spread).toFixed(1)} ${y(reached).toFixed(1)}h0`]);
  });
  const group = drawn("g");
  picture.append(group);
  const { bins, edges } = regime.effect, half = choices ? 0.32 * wide / choices.length : 0;
  for (const [place, [trials, ...reached]] of bins.entries()) {
    const [median, low, high] = reached[objective];
    if (!trials || median === null) continue;
    const [from, to] = choices ? [x(place) - half, x(place) + half] : [x(Math.max(edges[place], domain.low)), x(Math.min(edges[place + 1], domain.high))];
    if (low !== null) picture.append(drawn("rect", { class: "median-band", x: from, width: Math.max(1, to - from), y: y(high), height: Math.max(1, y(low) - y(high)) }));
    picture.append(drawn("line", { class: "median", x1: from, x2: to, y1: y(median), y2: y(median) }));
  }
  picture.append(drawn("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }), ...sliceTicks(domain, frame, x, width));
  return { picture, group, dots, beyond: range.beyond };
}

// A slice is drawn once; a step of the slider only moves dots from one path to another.
function slice(parameter, regime, objective, width) {
  const chart = madeOf(regime, `slice ${objective} ${width}`, () => sliceChart(parameter, regime, objective, width));
  if (chart) markDots(chart);
  return chart;
}

function markSlices(regime, width) {
  data.objectives.forEach((_, objective) => {
    const chart = made.get(regime)?.get(`slice ${objective} ${width}`);
    if (chart) markDots(chart);
  });
}

// One path of points per kind of trial, the good ones on top: far fewer elements than with one per dot.
function markDots({ dots, group }) {
  const paths = new Map();
  for (const [trial, point] of dots) {
    const kind = trialClass(trial);
    paths.set(kind, (paths.get(kind) || "") + point);
  }
  const kinds = [...paths].sort(([a], [b]) => a.includes(" in") - b.includes(" in"));
  group.replaceChildren(...kinds.map(([kind, path]) => drawn("path", { class: `dots ${kind}`, d: path })));
}

function sliceTicks(domain, frame, x, width) {
  if (domain.choices) {
    const most = Math.max(3, Math.floor((frame.right - frame.left) / domain.choices.length / 7));
    return domain.choices.length > 12 ? [] : domain.choices.map((label, place) => drawn("text", { class: "tick", x: x(place), y: frame.bottom + 18, "text-anchor": "middle" }, cut(label, most)));
  }
  return placedTicks(ticksOf(domain, 0, width), frame, x);
}

function sliceWords(parameter, regime, objective) {
  const medians = regime.effect.bins.map((bin) => bin[1 + objective][0]).filter((median) => median !== null);
  const digits = digitsFor(medians);
  const between = medians.length ? `; medians between ${inUnits(Math.min(...medians), digits)} and ${inUnits(Math.max(...medians), digits)}` : "";
  return `${data.objectives[objective][0]} by ${parameter.name} in ${regime.label}${between}.`;
}

function sliceParts(parameter, regime, width) {
  if (!data.sample) return [];
  const charts = data.objectives.map((_, place) => [place, slice(parameter, regime, place, width)]).filter(([, chart]) => chart);
  const pruned = data.sample.states.includes("p") ? "; orange: pruned, at their last value" : "";
  return charts.map(([place, { picture, beyond }]) => element("figure", {}, element("figcaption", { class: "aside" },
    `${cut(data.objectives[place][0], 32)} that each trial reached; lines: medians with ${percent(0.9)} intervals${pruned}${beyond ? `; ${count(beyond, "worse trial")} drawn on the edge` : ""}`), picture));
}

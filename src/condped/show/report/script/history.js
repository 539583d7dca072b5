// The study so far: its best trial, improvements, how trials ended and how long they took.
function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 1) return `${short(Number((1000 * value).toPrecision(2)))}\u00a0ms`;
  if (value < 120) return `${short(value)}\u00a0s`;
  if (value < 7200) return `${short(value / 60)}\u00a0min`;
  return value < 172800 ? `${short(value / 3600)}\u00a0h` : `${short(value / 86400)}\u00a0days`;
}

const bestWords = (best) => `${cut(best.objective, 24)} ${bestValue(best.value)} in trial ${best.number}`;

function historyGist() {
  const found = data.summary;
  if (!found || data.outcome) return null;
  if (!found.best.length) return "no trial is complete and feasible";
  return `best ${found.best.map(bestWords).join(", ")}`;
}

// The parameters of a trial, gates and important ones first.
function settingsWords(best) {
  const order = new Map(ranked().map((parameter, place) => [parameter.name, (gates.has(parameter.place) ? -1000 : 0) + place]));
  const shown = [...best.parameters].sort(([a], [b]) => order.get(a) - order.get(b)).slice(0, 4);
  const more = best.parameters.length - shown.length;
  return element("span", { class: "aside" }, ` (${shown.map(([name, value]) => `${cut(name, 24)} ${cut(value, 20)}`).join(", ")}${more ? ` and ${more} more` : ""})`);
}

// The summary on the first screen.
function progressRows() {
  const found = data.summary;
  if (!found || data.outcome || !found.best.length) return [];
  return [element("div", {}, "Best ", found.best.flatMap((best, place) => [place ? ", " : "", element("strong", {}, bestWords(best))]), single() ? settingsWords(found.best[0]) : "", ". ", found.plateau.join(" "), " ",
    foldLink("history", "The study so far"))];
}

function drawHistory() {
  const found = data.summary;
  const charts = data.sample ? data.objectives.map((_, place) => historyChart(place, Math.max(280, byId("progress").clientWidth))) : [];
  refill("progress", ...charts, ...frontParts(),
    element("ul", { class: "leave" }, [...found.plateau, found.outlook].filter(Boolean).map((words) => element("li", {}, words))),
    element("div", { class: "columns" }, found.best.map(bestTable),
      element("div", {}, element("h3", {}, "Trials"), table("How trials ended", ["", ""], endingCounts(), [1])), durationTable()));
}

function bestTable(best) {
  const reached = data.objectives.map(([name], place) => [cut(name, 32), element("strong", {}, bestValue(best.values[place]))]);
  const rows = best.parameters.map(([name, value]) => [breakable(name, 32), element("span", { title: value }, cut(value, 40))]);
  return element("div", {}, element("h3", {}, single() ? `Best trial: number ${best.number}` : `Best ${cut(best.objective, 24)}: trial ${best.number}`),
    table(`Best trial by ${best.objective}`, ["", ""], [...reached, ...rows]),
    best.more ? element("p", { class: "aside" }, `${count(best.more, "parameter")} more`) : null);
}

function endingCounts() {
  const words = { complete: "Complete", infeasible: "Infeasible", pruned: "Pruned", failed: "Failed", nonfinite: "Without a finite objective", running: "Still running" };
  return Object.entries(words).filter(([kind]) => data.summary.states[kind]).map(([kind, label]) => [label, whole(data.summary.states[kind])]);
}

function durationTable() {
  const taken = data.summary.durations;
  if (!taken) return null;
  const rows = [["Median trial", seconds(taken.median)], [`Longest, trial ${taken.longest_number}`, seconds(taken.longest)], ["All together", seconds(taken.total)]];
  for (const kind of ["failed", "pruned"]) if (taken[kind] > 0) rows.push([kind === "failed" ? "Failed ones" : "Pruned ones", `${seconds(taken[kind])} (${percent(taken[kind] / taken.total)})`]);
  if (taken.span !== null) rows.push(["From start to end", seconds(taken.span)]);
  return element("div", {}, element("h3", {}, "Time"), table("How long trials took", ["", ""], rows, [1]));
}

// What each trial reached, and the best so far.
function historyChart(objective, width) {
  const range = objectiveRange(objective), sample = data.sample;
  if (!range) return null;
  const last = Math.max(...sample.numbers, 1), height = 230;
  const frame = { left: 56, right: width - 12, top: 10, bottom: height - 40 };
  const x = (number) => frame.left + (frame.right - frame.left) * number / last;
  const y = (value) => frame.bottom - (frame.bottom - frame.top) * placeInRange(range, value);
  const [name, direction] = data.objectives[objective];
  const picture = drawn("svg", { class: "slice", width, height, role: "img" }, drawn("title", {}, `${name} of each trial, and the best so far (${direction}).`));
  objectiveAxis(picture, frame, range, y);
  sample.numbers.forEach((number, trial) => {
    const value = sample.objectives[objective][trial];
    if (value === null) picture.append(drawn("line", { class: "lost", x1: x(number), x2: x(number), y1: frame.bottom, y2: frame.bottom - 6 }));
    else picture.append(drawn("circle", { class: trialClass(trial), r: 2.4, cx: x(number).toFixed(1), cy: y(value).toFixed(1) }));
  });
  const steps = data.summary.improvements[objective];
  const path = steps.map(([number, value], place) => (place ? `H${x(number).toFixed(1)}V${y(value).toFixed(1)}` : `M${x(number).toFixed(1)} ${y(value).toFixed(1)}`)).join("");
  if (steps.length) picture.append(drawn("path", { class: "so-far", d: `${path}H${frame.right}` }));
  picture.append(drawn("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }),
    ...placedTicks(ticksOf({ low: 0, high: last, log: false }, 0, width), frame, x),
    drawn("text", { class: "tick", x: (frame.left + frame.right) / 2, y: frame.bottom + 35, "text-anchor": "middle" }, "number of the trial"));
  const kinds = new Set(sample.states);
  const key = [["in", targetName().replace(/^t/, "T")], ["out", "Other trials"], ...(kinds.has("p") ? [["out pruned", "Pruned, at their last value"]] : []), ...(kinds.has("i") ? [["out infeasible", "Infeasible"]] : [])];
  const lost = sample.objectives[objective].includes(null) ? [element("span", { class: "key-lost", "aria-hidden": "true" }), "No result   "] : [];
  const beyond = sample.objectives[objective].filter((value) => value !== null && (value < range.low || value > range.high)).length;
  const hidden = sample.of - sample.numbers.length;
  const notes = [beyond ? `${count(beyond, "trial")} beyond ${inUnits(direction === "maximize" ? range.low : range.high, 3)} drawn on the edge.` : "", hidden > 0 ? `${whole(sample.numbers.length)} of ${count(sample.of, "trial")} drawn.` : ""].filter(Boolean);
  return element("figure", {}, element("figcaption", { class: "key-line" },
    key.flatMap(([kind, words]) => [trialKey(kind), `${words}   `]), ...lost, element("span", { class: "key-best", "aria-hidden": "true" }), `Best ${cut(name, 24)} so far`), picture,
  notes.length ? element("p", { class: "aside" }, notes.join(" ")) : null);
}

function trialKey(kind) {
  return drawn("svg", { class: "key-dot", width: 10, height: 10, "aria-hidden": "true" }, drawn("circle", { class: `trial ${kind}`, cx: 5, cy: 5, r: 3.4 }));
}

// The Pareto front: the trials that no other one dominates.
function frontParts() {
  const front = data.summary.front;
  if (!front) return [];
  const rows = front.slice(0, 20).map(({ number, values, parameters: tried }) => [String(number), ...values.map((value) => inUnits(value, 5)),
    element("span", { class: "aside" }, tried.slice(0, 6).map(([name, value]) => `${cut(name, 20)} ${cut(value, 16)}`).join(", "))]);
  const right = [0, ...data.objectives.map((_, place) => place + 1)];
  return [element("h3", {}, "Pareto front"), data.objectives.length === 2 && data.sample ? frontChart(front) : null,
    table("Trials on the Pareto front", ["Trial", ...data.objectives.map(([name]) => cut(name, 24)), "Settings"], rows, right),
    front.length > 20 ? element("p", { class: "aside" }, `${front.length - 20} more`) : null].filter(Boolean);
}

function frontChart(front) {
  const width = Math.min(620, Math.max(280, byId("progress").clientWidth)), height = 260, sample = data.sample;
  const frame = { left: 64, right: width - 14, top: 10, bottom: height - 44 };
  const [first, second] = [0, 1].map((place) => {
    const range = objectiveRange(place), values = front.map((trial) => trial.values[place]);
    return { ...range, low: Math.min(range.low, ...values), high: Math.max(range.high, ...values) };
  });
  const x = (value) => frame.left + (frame.right - frame.left) * placeInRange(first, value);
  const y = (value) => frame.bottom - (frame.bottom - frame.top) * placeInRange(second, value);
  const picture = drawn("svg", { class: "slice", width, height, role: "img" }, drawn("title", {}, `${data.objectives[1][0]} against ${data.objectives[0][0]}; ${count(front.length, "trial")} on the Pareto front.`));
  objectiveAxis(picture, frame, second, y);
  sample.numbers.forEach((_, trial) => {
    const [one, other] = [0, 1].map((place) => sample.objectives[place][trial]);
    if (one !== null && other !== null) picture.append(drawn("circle", { class: "trial out", r: 2.4, cx: x(one).toFixed(1), cy: y(other).toFixed(1) }));
  });
  picture.append(...front.map(({ number, values }) => drawn("circle", { class: "trial in", r: 4, cx: x(values[0]).toFixed(1), cy: y(values[1]).toFixed(1) }, drawn("title", {}, `Trial ${number}: ${values.join(", ")}`))),
    drawn("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }),
    ...placedTicks(first.ticks.map((tick) => Number(tick.toPrecision(3))), frame, x),
    drawn("text", { class: "tick", x: (frame.left + frame.right) / 2, y: frame.bottom + 36, "text-anchor": "middle" }, cut(data.objectives[0][0], 32)));
  return element("figure", {}, element("figcaption", { class: "key-line" }, trialKey("in"), "Pareto front   ", trialKey("out"), `Other trials; up: ${cut(data.objectives[1][0], 32)}`), picture);
}

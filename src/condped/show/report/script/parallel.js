// Trials side by side: an axis for each parameter, with a separate place for absent ones.
const MOST_AXES = 8;

function linesGist() {
  if (!data.sample || data.outcome || parameters.length < 2) return null;
  return "what the good trials have in common";
}

function axesShown() {
  const known = ranked().filter((parameter) => data.sample.values[parameter.place]);
  const chosen = new Set(known.slice(0, MOST_AXES));
  // Gates are kept, however little importance they have within: others depend on them.
  known.filter((parameter) => gates.has(parameter.place) && !chosen.has(parameter)).slice(0, 2)
    .forEach((parameter, place) => { chosen.delete(known[MOST_AXES - 1 - place]); chosen.add(parameter); });
  return [...chosen].sort((a, b) => gates.has(b.place) - gates.has(a.place));
}

// The position of a trial on a parameter's axis: 0 to 1, or null if the parameter is absent.
function placeOnAxis(parameter, trial) {
  const regime = parameter.regimes[data.sample.regimes[parameter.place][trial]];
  if (!regime || !regime.domain) return null;
  const span = axisDomain(parameter), value = data.sample.values[parameter.place][trial];
  return span.choices ? (span.choices.indexOf(regime.domain.choices[value]) + 0.5) / span.choices.length : placeOf(span, value);
}

// One domain for all regimes of a parameter.
function axisDomain(parameter) {
  return madeOf(parameter.regimes, "axis", () => {
    const domains = parameter.regimes.map((regime) => regime.domain).filter(Boolean);
    const choices = domains.flatMap((domain) => domain.choices || []);
    return choices.length ? { choices: [...new Set(choices)] }
      : { low: Math.min(...domains.map((domain) => domain.low)), high: Math.max(...domains.map((domain) => domain.high)), log: domains.every((domain) => domain.log) };
  });
}

function drawLines() {
  const sample = data.sample, shown = axesShown().filter((parameter) => parameter.regimes.some((regime) => regime.domain));
  const width = Math.max(280, byId("lines").clientWidth), axes = shown.length + data.objectives.length - 1;
  const apart = Math.max(92, (width - 120) / Math.max(1, axes)), wide = Math.max(width, 110 + apart * axes), height = 330;
  const frame = { left: 50, top: 46, bottom: height - 62, absent: height - 34 };
  const x = (place) => frame.left + apart * place;
  const y = (share) => (share === null ? frame.absent : frame.bottom - (frame.bottom - frame.top) * share);
  const ranges = data.objectives.map((_, place) => objectiveRange(place)), value = (trial) => sample.objectives[0][trial];
  const reached = (trial) => ranges.map((range, place) => [x(shown.length + place), y(placeInRange(range, sample.objectives[place][trial]))]);
  const picture = drawn("svg", { class: "parallel", width: wide, height, role: "img" }, drawn("title", {}, linesWords(shown)));
  const lines = { in: [], out: [] };
  sample.numbers.forEach((number, trial) => {
    if (value(trial) === null) return;
    const points = [...shown.map((parameter, place) => [x(place), y(placeOnAxis(parameter, trial)) + 5 * jitter(number + place)]), ...reached(trial)];
    const kind = inTargetNow(trial) ? "in" : "out";
    lines[kind].push(drawn("path", { class: `line ${kind}`, d: points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("") }));
  });
  picture.append(...lines.out, ...lines.in);
  shown.forEach((parameter, place) => picture.append(...axisOf(parameter, x(place), frame, y, apart)));
  ranges.forEach((range, place) => picture.append(...objectiveLine(data.objectives[place][0], x(shown.length + place), frame, range)));
  const hidden = parameters.length - shown.length;
  refill("lines", element("p", { class: "hint" }, `Each line is a trial: the values that it tried, and on the right what it reached. Where a parameter was absent, the line passes below its axis.${wide > width ? " Scroll sideways to see all axes." : ""}${hidden ? ` ${shown.length} of ${parameters.length} parameters, the most important ones.` : ""}`),
    element("p", { class: "key-line" }, element("span", { class: "key-line-in", "aria-hidden": "true" }), `${targetName().replace(/^t/, "T")}   `, element("span", { class: "key-line-out", "aria-hidden": "true" }), "Other trials"),
    element("div", { class: "scroll" }, picture));
}

function axisOf(parameter, at, frame, y, apart) {
  const domain = axisDomain(parameter), most = Math.floor((apart - 14) / 6.4);
  const parts = [drawn("line", { class: "axis", x1: at, x2: at, y1: frame.top, y2: frame.bottom }),
    drawn("text", { class: "label", x: at, y: frame.top - 22, "text-anchor": "middle" }, cut(parameter.name, Math.floor(apart / 7.2)), drawn("title", {}, parameter.name))];
  const tick = (share, text) => parts.push(drawn("line", { class: "axis", x1: at - 4, x2: at + 4, y1: y(share), y2: y(share) }),
    drawn("text", { class: "tick halo", x: at + 7, y: y(share) + 4 }, cut(text, most)));
  if (domain.choices) domain.choices.slice(0, 12).forEach((choice, place) => tick((place + 0.5) / domain.choices.length, choice));
  else for (const share of [0, 0.5, 1]) tick(share, short(Number(valueAt(domain, share).toPrecision(2))));
  if (parameter.regimes.some((regime) => !regime.domain)) parts.push(drawn("text", { class: "tick halo", x: at, y: frame.absent + 20, "text-anchor": "middle" }, "absent"));
  return parts;
}

function valueAt(domain, share) {
  if (domain.log) return Math.exp(Math.log(domain.low) + share * (Math.log(domain.high) - Math.log(domain.low)));
  return domain.low + share * (domain.high - domain.low);
}

function objectiveLine(name, at, frame, range) {
  const digits = Math.min(digitsFor(range.ticks), 4);
  const y = (value) => frame.bottom - (frame.bottom - frame.top) * placeInRange(range, value);
  return [drawn("line", { class: "axis", x1: at, x2: at, y1: frame.top, y2: frame.bottom }),
    drawn("text", { class: "label", x: at + 40, y: frame.top - 22, "text-anchor": "end" }, cut(name, 16)),
    ...range.ticks.map((value) => drawn("text", { class: "tick halo", x: at + 6, y: y(value) + 4 }, inUnits(value, digits)))];
}

function linesWords(shown) {
  return `Parallel coordinates of the trials over ${shown.map((parameter) => parameter.name).join(", ")} and ${data.objectives[0][0]}.`;
}

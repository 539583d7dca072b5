// Pairs of parameters that act together: where the target trials lie in both.
const matteringPairs = () => data.pairs.pairs.filter((pair) => pair.verdict === "matters");

function pairsGist() {
  if (!data.pairs) return null;
  if (!data.pairs.tested) return "no pair could be tested";
  if (!data.pairs.pairs.length) return data.pairs.tested === 1 ? "no evidence of a joint effect in the one testable pair" : `no evidence of a joint effect in any of ${data.pairs.tested} pairs`;
  const found = matteringPairs();
  if (!found.length) return `${count(data.pairs.pairs.length, "pair")} unclear`;
  return found.slice(0, 3).map(({ names }) => names.map((name) => cut(name, 24)).join(" × ")).join(", ");
}

function drawPairs() {
  const { tested, of, parameters: paired, sampling, pairs, nothing } = data.pairs;
  const width = Math.min(460, Math.max(260, byId("pair-list").clientWidth));
  const some = paired < parameters.length ? ` The ${paired} most important parameters were paired.` : "";
  const key = pairs.length ? " The darker a cell, the larger the share of its trials that are in the target set; a small cell has few trials." : "";
  const more = tested - pairs.length - nothing.length, names = nothing.map((pair) => pair.map((name) => cut(name, 24)).join(" × ")).join(", ");
  refill("pair-list", agePart(), element("p", { class: "hint" }, `Which values go together, beyond what each parameter does alone, for ${targetName(data.start)}; the slider does not change it. ${whole(tested)} of ${count(of, "pair")} could be tested; the verdicts allow for their number.${some} ${sampling}${key}`),
    nothing.length ? element("p", { class: "aside" }, `No evidence: ${names}${more > 0 ? ` and ${more} more` : ""}.`) : null,
    element("div", { class: "pair-grid" }, pairs.flatMap((pair) => pair.regimes.slice(0, 2).map((regime) => pairFigure(pair, regime, width)))));
}

function pairFigure(pair, regime, width) {
  const p = pair.p === null ? "" : `, ${pWords(pair.p)} before adjustment`;
  return element("figure", {}, element("figcaption", {}, nameTag(pair.names[0]), " × ", nameTag(pair.names[1]), " ", verdictTag(pair.verdict),
    element("span", { class: "aside" }, ` η² ${share(Math.max(0, pair.eta))}${p}, ${count(sum(regime.region.flat()), "trial")}`)), pairChart(regime, width), densestWords(regime));
}

// Cells of integers have edges at halves.
function edgesWords(low, high) {
  const whole = (edge) => Math.abs(edge % 1) === 0.5;
  if (whole(low) && whole(high)) return low + 1 === high ? `${low + 0.5}` : `${low + 0.5} … ${high - 0.5}`;
  return `${short(Number(low.toPrecision(2)))} … ${short(Number(high.toPrecision(2)))}`;
}

// The cell with the largest share of good trials, among those with at least three.
function densestWords({ axes: [first, second], target, region }) {
  const name = ({ edges, choices }, place) => (choices ? choices[place] : edgesWords(edges[place], edges[place + 1]));
  const cells = region.flatMap((row, i) => row.map((trials, j) => ({ i, j, trials, hits: target[i][j] }))).filter(({ trials, hits }) => trials >= 3 && hits > 0);
  if (!cells.length) return null;
  const { i, j, trials, hits } = cells.sort((a, b) => b.hits / b.trials - a.hits / a.trials || b.trials - a.trials)[0];
  return element("p", { class: "aside" }, `Most with ${cut(first.parameter, 24)} ${name(first, i)} and ${cut(second.parameter, 24)} ${name(second, j)}: ${hits} of ${trials} trials.`);
}

// A cell's darkness is the share of its trials in the target set; its size shows how many trials it has.
function pairChart({ axes: [first, second], target, region }, width) {
  const size = ({ edges, choices }) => (choices ? choices.length : edges.length - 1);
  const across = size(first), up = size(second), height = Math.max(170, Math.min(300, 26 * up + 60));
  const frame = { left: 84, right: width - 18, top: 8, bottom: height - 42 };
  const wide = (frame.right - frame.left) / across, high = (frame.bottom - frame.top) / up;
  const most = Math.max(...region.flat(), 1), rates = target.flatMap((row, i) => row.map((hits, j) => hits / Math.max(1, region[i][j])));
  const highest = Math.max(...rates, 0.01);
  const picture = drawn("svg", { class: "pair", width, height, role: "img" }, drawn("title", {}, `Share of target trials over ${first.parameter} and ${second.parameter}, at most ${percent(highest)}.`),
    drawn("rect", { class: "pair-ground", x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.bottom - frame.top }));
  target.forEach((row, i) => row.forEach((hits, j) => {
    const trials = region[i][j];
    if (!trials) return;
    const part = 0.35 + 0.65 * Math.sqrt(trials / most);
    picture.append(drawn("rect", { class: "pair-cell", "fill-opacity": (0.08 + 0.92 * hits / trials / highest).toFixed(3), width: (wide * part - 1).toFixed(1), height: (high * part - 1).toFixed(1),
      x: (frame.left + wide * (i + (1 - part) / 2)).toFixed(1), y: (frame.bottom - high * (j + 1 - (1 - part) / 2)).toFixed(1) },
    drawn("title", {}, `${hits} of ${trials} trials`)));
  }));
  picture.append(...pairTicks(first, across, (place) => [frame.left + wide * place, frame.bottom + 16], "middle", Math.floor(wide / 6.5)),
    ...pairTicks(second, up, (place) => [frame.left - 6, frame.bottom - high * place + 4], "end", 11),
    drawn("text", { class: "label", x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle" }, cut(first.parameter, 40)));
  return element("div", {}, element("p", { class: "aside" }, `${cut(second.parameter, 40)} ↑`), picture);
}

function pairTicks({ edges, choices }, cells, at, anchor, most) {
  const tick = (place, text) => { const [x, y] = at(place); return drawn("text", { class: "tick", x, y, "text-anchor": anchor }, text); };
  if (choices) return choices.map((label, place) => tick(place + 0.5, cut(label, Math.max(3, most))));
  const every = Math.max(1, Math.ceil(cells / 4));
  return edges.map((edge, place) => [edge, place]).filter(([, place]) => place % every === 0).map(([edge, place]) => {
    const made = tick(place, short(Number(edge.toPrecision(2))));
    if (anchor === "middle" && place === cells) made.setAttribute("text-anchor", "end");
    return made;
  });
}

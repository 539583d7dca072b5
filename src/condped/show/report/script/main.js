// The controls, and what each of them changes.
function draw(changed = null) {
  drawQuestion();
  drawAnswer();
  drawHints();
  drawBars();
  updateFolds(changed);
}

function moveTo(step) {
  state.step = step;
  // Screen readers announce changes by the reader, not the updates every few seconds.
  byId("answer-text").setAttribute("aria-live", "polite");
  setSlider();
  draw();
  keepAddress();
}

// Replaces data by name; what the reader has set and opened, and the scroll position, stay.
function setData(changes) {
  const quantile = data.steps?.[state.step], level = data.level;
  Object.assign(data, changes);
  state.updates += 1;
  takeData();
  setMethod(state.chosen ? state.method : data.method);
  state.step = quantile === undefined || !data.steps ? data.start : nearestStep(quantile);
  byId("answer-text").setAttribute("aria-live", "off");
  forgetBars();
  inPlace(() => {
    setUpMethods();
    setUpSlider();
    draw(new Set([...Object.keys(changes), ...(level === data.level ? [] : ["parameters"])]));
  });
}

const setMethod = (method) => { state.method = data.methods.includes(method) ? method : data.methods[0]; };

function nearestStep(quantile) {
  const gaps = data.steps.map((step) => Math.abs(step - quantile));
  return gaps.indexOf(Math.min(...gaps));
}

// Keeps what the reader looks at in its place on the screen, whatever grows above it.
function inPlace(change) {
  const line = byId("controls").getBoundingClientRect().bottom;
  const seenNow = [...document.querySelectorAll(".fold, .card, #bar-rows tr, main > section")].filter((box) => {
    const { top, bottom } = box.getBoundingClientRect();
    return bottom > line && top < innerHeight;
  });
  // The innermost one that begins on the screen, or the one that covers it.
  const anchor = seenNow.find((box) => box.getBoundingClientRect().top >= line) || seenNow[seenNow.length - 1];
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor?.isConnected && scrollY > 0) scrollBy(0, anchor.getBoundingClientRect().top - before);
}

function setSlider() {
  const slider = byId("slider");
  if (Number(slider.value) !== state.step) slider.value = state.step;
  const size = whole(data.sizes[state.step]), setting = exactPercent(data.steps[state.step]);
  const tie = tieAt(), flat = flatRanges(), larger = tie && tie.kind !== "objectives";
  // As in the question above; where ties make the set larger, the setting stands below.
  const text = `best ${larger ? usedShare(tie) : setting}`;
  slider.setAttribute("aria-valuetext", `${text} of the trials: ${size}${larger ? `; set to ${setting}` : ""}`);
  refill("slider-text", element("strong", {}, text), element("span", {}, ` ${size} of ${whole(data.region)} trials`));
  byId("flat-text").hidden = !flat.length;
  setText(byId("flat-text"), larger ? `Set to ${setting}; ${tieWords(...tie.steps)}.`
    : `Within ${flat.length === 1 ? "the" : "each"} marked range, tied values make every setting select the same trials.`);
}

const tieWords = (first, last) => (first === last ? "tied values make it more"
  : `because of ties, every setting from ${exactPercent(data.steps[first])} to ${exactPercent(data.steps[last])} selects the same trials`);

// Ranges in which ties keep the target set the same, by their first and last step.
function flatRanges() {
  const found = new Map();
  data.ties.forEach((tie) => {
    if (tie && tie.notable && tie.kind !== "objectives" && tie.steps[0] < tie.steps[1]) found.set(tie.size, tie.steps);
  });
  return [...found.values()].sort((a, b) => a[0] - b[0]);
}

function setUpStrip() {
  const flat = flatRanges(), steps = data.steps.length - 1;
  byId("flat-strip").hidden = !flat.length;
  if (!flat.length) return;
  const at = (step) => `${(100 * Math.min(1, Math.max(0, step / steps))).toFixed(2)}%`;
  const wide = (first, last) => `${(100 * (Math.min(steps, last) - Math.max(0, first)) / steps).toFixed(2)}%`;
  refill("flat-strip", drawn("svg", { width: "100%", height: 5, role: "img", "aria-label": flat.map(([first, last]) =>
    `From ${exactPercent(data.steps[first])} to ${exactPercent(data.steps[last])}, tied values make every setting select the same trials.`).join(" ") },
  flat.map(([first, last]) => drawn("rect", { class: "flat", y: 0, height: 5, rx: 2, x: at(first - 0.3), width: wide(first - 0.3, last + 0.3) }))));
}

function setUpSlider() {
  byId("slider-box").hidden = !data.steps || waitingForTrials();
  if (!data.steps) return;
  byId("slider").max = data.steps.length - 1;
  setUpStrip();
  setSlider();
}

function setUpMethods() {
  const box = byId("switch");
  box.hidden = data.methods.length < 2;
  const known = [...box.querySelectorAll("input")].map((input) => input.value);
  if (known.join() !== data.methods.join()) {
    patch(box, element("legend", {}, "Method"), data.methods.flatMap((method) => [element("input", { type: "radio", name: "method", id: `method-${method}`, value: method }),
      element("label", { for: `method-${method}` }, method === "paper" ? "Paper" : "Calibrated")]));
  }
  for (const input of box.querySelectorAll("input")) input.checked = input.value === state.method;
}

function chooseMethod(method) {
  state.chosen = true;
  setMethod(method);
  byId("answer-text").setAttribute("aria-live", "polite");
  draw();
  keepAddress();
}

// On paper everything is open, and as wide as the paper.
function setUpPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.fold:not([open]):not([hidden])")];
    for (const box of closed) openFold(box.id);
    const cardBoxes = [...document.querySelectorAll("details.card:not([open])")];
    for (const [parameter, { box }] of cards) if (cardBoxes.includes(box)) { box.open = true; fillCard(parameter); }
    closed.push(...cardBoxes);
  });
  addEventListener("afterprint", () => { for (const box of closed) box.open = false; });
}

function setUpFolds() {
  // The account determines how old the verdicts are.
  const numbers = ["parameters", "sizes", "region", "ties", "reasons", "tree"], tested = ["tested", "account"];
  setUpFold("parameters", { gist: () => (parameters.length > 1 ? "where the good trials of each lie" : parameters.length ? "where its good trials lie" : null), draw: drawCards, uses: [...numbers, ...tested, "sample", "forecast"] });
  setUpFold("next", { gist: adviceGist, draw: drawAdvice, update: () => {}, uses: ["advice", "missing", "endings", ...tested], dated: true });
  setUpFold("branches", { gist: treeGist, draw: drawTree, uses: [...numbers, ...tested, "missing"] });
  setUpFold("pairs", { gist: pairsGist, draw: drawPairs, update: () => {}, uses: ["pairs", ...tested], dated: true });
  setUpFold("endings", { gist: endingsGist, draw: drawEndings, update: () => {}, uses: ["endings", "summary", "settings", ...tested], dated: true });
  setUpFold("cost", { gist: costGist, draw: drawCost, uses: [...numbers, ...tested, "cost", "summary"], dated: true });
  setUpFold("history", { gist: historyGist, draw: drawHistory, uses: ["summary", "sample", "steps", "ties"] });
  setUpFold("sweep", { gist: curveGist, draw: drawCurve, uses: numbers });
  setUpFold("parallel", { gist: linesGist, draw: drawLines, uses: [...numbers, "sample"] });
  setUpFold("trials", { gist: accountGist, draw: drawAccount, uses: ["account", "texts", "settings", "versions", "region", "sizes", "ties"] });
  setUpFold("download", { gist: () => "as CSV and JSON", draw: drawDownloads, update: () => {} });
}

function start() {
  if (parameters.length < 2) byId("find").hidden = true;
  byId("controls").hidden = false;
  byId("main").hidden = false;
  document.documentElement.toggleAttribute("data-outcome", Boolean(data.outcome));
  readAddress();
  setUpSlider();
  setUpMethods();
  byId("slider").addEventListener("input", () => moveTo(Number(byId("slider").value)));
  byId("switch").addEventListener("change", (event) => chooseMethod(event.target.value));
  setUpTheme();
  setUpPrinting();
  byId("filter").addEventListener("input", () => { state.filter = byId("filter").value; drawBars(); updateFolds(); keepAddress(); });
  fill("parameters-hint", `Open a card to see where the target trials lie among all, and which values ${data.outcome ? "lead to it" : "are good"}.`);
  setUpFolds();
  fill("footer", element("p", {}, `Made by condped ${data.versions.condped}, after condPED-ANOVA (Baba, Ozaki and Watanabe, KDD 2026). ${data.live ? "This page updates itself while its server runs; what condped report writes is one file and works offline." : "This page is one file and works offline."}`));
  draw();
  setUpAddress();
  setUpLive();
  setUpFrame();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    redrawFolds();
  });
}

start();

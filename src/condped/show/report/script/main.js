// The controls, and what each of them moves.
function draw() {
  drawQuestion();
  drawAnswer();
  drawHints();
  drawBars();
  updateFolds();
}

function moveTo(step) {
  state.step = step;
  setSlider();
  draw();
}

function setSlider() {
  const slider = byId("slider");
  slider.value = state.step;
  const size = whole(data.sizes[state.step]);
  const text = `best ${exactPercent(data.steps[state.step])}`;
  slider.setAttribute("aria-valuetext", `${text} of the trials: ${size}`);
  const tie = tieAt(), flat = flatRanges();
  fill("slider-text", element("strong", {}, text), element("span", {}, ` ${size} of ${whole(data.region)} trials`));
  byId("flat-text").hidden = !flat.length;
  const [first, last] = tie && tie.kind !== "objectives" ? tie.steps : [0, 0];
  fill("flat-text", !tie || tie.kind === "objectives" ? "marked: ties, nothing changes"
    : first === last ? `ties: ${+(100 * tie.used_share).toPrecision(3)}\u00a0% used`
      : `with ties ${+(100 * tie.used_share).toPrecision(3)}\u00a0%: the same from ${exactPercent(data.steps[first])} to ${exactPercent(data.steps[last])}`);
}

// Where ties keep the target set from changing, by the first and the last step.
function flatRanges() {
  const found = new Map();
  (data.ties || []).forEach((tie) => {
    if (tie && tie.notable && tie.kind !== "objectives" && tie.steps[0] < tie.steps[1]) found.set(tie.size, tie.steps);
  });
  return [...found.values()].sort((a, b) => a[0] - b[0]);
}

function setUpStrip() {
  const flat = flatRanges(), steps = data.steps.length - 1;
  if (!flat.length) return;
  const at = (step) => `${(100 * Math.min(1, Math.max(0, step / steps))).toFixed(2)}%`;
  const wide = (first, last) => `${(100 * (Math.min(steps, last) - Math.max(0, first)) / steps).toFixed(2)}%`;
  byId("flat-strip").hidden = false;
  fill("flat-strip", drawn("svg", { width: "100%", height: 5, role: "img", "aria-label": flat.map(([first, last]) =>
    `Ties: nothing changes from ${exactPercent(data.steps[first])} to ${exactPercent(data.steps[last])}`).join("; ") },
  flat.map(([first, last]) => drawn("rect", { class: "flat", y: 0, height: 5, rx: 2, x: at(first - 0.3), width: wide(first - 0.3, last + 0.3) }))));
}

function setUpSlider() {
  if (!data.steps) { byId("slider-box").hidden = true; return; }
  const slider = byId("slider");
  slider.max = data.steps.length - 1;
  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  setUpStrip();
  setSlider();
}

function setUpMethods() {
  const box = byId("switch");
  if (data.methods.length < 2) { box.hidden = true; return; }
  for (const method of data.methods) {
    const input = element("input", { type: "radio", name: "method", id: `method-${method}`, value: method });
    input.checked = method === state.method;
    input.addEventListener("change", () => { state.method = method; draw(); });
    box.append(input, element("label", { for: `method-${method}` }, method === "paper" ? "Paper" : "Calibrated"));
  }
}

// On paper everything is open, and drawn as wide as the paper is.
function setUpPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.fold:not([open]):not([hidden])")];
    for (const box of closed) openFold(box.id);
    const cardBoxes = [...document.querySelectorAll("details.card:not([open])")];
    for (const box of cardBoxes) { box.open = true; fillCard(parameters[Number(box.id.slice(1))]); }
    closed.push(...cardBoxes);
  });
  addEventListener("afterprint", () => { for (const box of closed) box.open = false; });
}

function setUpFolds() {
  setUpFold("parameters", { told: () => (parameters.length ? `where the good trials of ${parameters.length === 1 ? "it" : "each"} lie` : null), draw: drawCards });
  setUpFold("next", { told: adviceTold, draw: drawAdvice, update: () => {} });
  setUpFold("branches", { told: treeTold, draw: drawTree, update: updateTree });
  setUpFold("pairs", { told: pairsTold, draw: drawPairs, update: () => {} });
  setUpFold("endings", { told: endingsTold, draw: drawEndings, update: () => {} });
  setUpFold("cost", { told: costTold, draw: drawCost });
  setUpFold("history", { told: historyTold, draw: drawHistory });
  setUpFold("sweep", { told: curveTold, draw: drawCurve });
  setUpFold("parallel", { told: linesTold, draw: drawLines });
  setUpFold("trials", { told: accountTold, draw: drawAccount });
  setUpFold("download", { told: () => "as CSV and JSON", draw: drawDownloads, update: () => {} });
}

function start() {
  if (parameters.length < 2) byId("find").hidden = true;
  byId("controls").hidden = false;
  byId("main").hidden = false;
  document.documentElement.toggleAttribute("data-outcome", Boolean(data.outcome));
  setUpSlider();
  setUpMethods();
  setUpTheme();
  setUpPrinting();
  byId("filter").addEventListener("input", () => { state.filter = byId("filter").value; drawBars(); updateFolds(); });
  fill("parameters-hint", `Open a card to see where the target trials lie among all, and which values ${data.outcome ? "lead to it" : "are good"}.`);
  setUpFolds();
  fill("footer", element("p", {}, `Made by condped ${data.versions.condped}, after condPED-ANOVA (Baba, Ozaki and Watanabe, KDD 2026). This page is one file and works offline.`));
  draw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    redrawFolds();
  });
}

start();

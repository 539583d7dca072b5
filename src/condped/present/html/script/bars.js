// Importances as a table of bars.
const barRows = new Map();
const highestImportance = {};

function highest() {
  highestImportance[state.method] ??= Math.max(0.05, ...parameters.flatMap((parameter) =>
    [...parameter.importance[state.method], ...(parameter.high ? parameter.high[state.method] || [] : [])]));
  return highestImportance[state.method];
}

function barRow(parameter) {
  if (!barRows.has(parameter)) {
    const cells = ["name-cell", "bar-cell", "number", "number eta", "verdict-cell"].map((kind) =>
      element("td", { class: kind, role: "cell" }));
    const link = element("a", { href: `#p${parameter.place}`, class: "name", title: parameter.name,
      onclick: (event) => { event.preventDefault(); openCard(parameter); } }, breakable(parameter.name, 40));
    cells[0].append(link);
    barRows.set(parameter, { row: element("tr", { role: "row" }, cells), cells });
  }
  const { row, cells } = barRows.get(parameter);
  const step = state.step, verdict = verdictOf(parameter);
  const low = parameter.low?.[state.method]?.[step], high = parameter.high?.[state.method]?.[step];
  cells[1].replaceChildren(bar(importanceOf(parameter), highest(), verdict, low, high));
  const interval = low === undefined ? "" : ` ${share(low)}–${share(high)}`;
  cells[2].replaceChildren(share(importanceOf(parameter)),
    interval && element("span", { class: "interval" }, interval));
  cells[3].replaceChildren(share(etaOf(parameter)));
  cells[4].replaceChildren(verdictTag(verdict));
  return row;
}

function drawBars() {
  const shown = visible(), rest = parameters.length - shown.length;
  const heading = (text, kind, title) => element("th", { scope: "col", role: "columnheader", class: kind, title }, text);
  if (!byId("bars").firstChild) {
    const interval = data.level ? ` (${percent(data.level)} interval)` : "";
    fill("bars", element("table", { class: "bars", role: "table" },
      element("caption", { class: "unseen" }, "Importance of each parameter"),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
        heading("Parameter"), heading(""), heading(`Importance${interval}`, "number"),
        heading("η²", "number", "Share of the variance of “reaches the target set” that it explains"),
        heading("Verdict"))),
      element("tbody", { id: "bar-rows", role: "rowgroup" })),
    element("p", { id: "bars-more" }));
  }
  byId("bar-rows").replaceChildren(...shown.map(barRow));
  drawMore("bars-more", rest);
  byId("find").hidden = parameters.length <= MOST;
}

function drawMore(id, rest) {
  const parts = [];
  if (state.filter.trim()) parts.push(`${count(parameters.length - rest, "parameter")} found. `);
  else if (rest || state.all && parameters.length > MOST) {
    const button = element("button", { type: "button", onclick: () => { state.all = !state.all; draw(); byId(id).querySelector("button").focus(); } },
      state.all ? `Show the first ${MOST}` : `Show all ${parameters.length}`);
    const hidden = ranked().slice(MOST);
    const together = hidden.reduce((total, parameter) => total + importanceOf(parameter), 0);
    parts.push(button, state.all ? "" : ` ${rest} more with ${share(together)} together`);
  }
  fill(id, ...parts);
}

function drawHints() {
  const calibrated = state.method === "calibrated";
  const what = calibrated
    ? "Importances without the paper's biases: each trial is left out of its own neighbourhood, and what cannot be told from noise has none."
    : "Importances as the condPED-ANOVA paper defines them, equal to Optuna's.";
  const reason = reasonNow();
  fill("importance-hint", reason ? [element("strong", {}, "Nothing can be told here: "), `${reason} `] : [],
    `${what} They sum to 1. η² is the same on an absolute scale: how much of reaching ${targetName()} a parameter explains by itself.`);
}

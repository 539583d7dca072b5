// Importances as a table of bars.
const barRows = new Map();
let highestImportance = {};

// Over all steps, so that bars can be compared while the slider moves.
function highest() {
  const method = state.method;
  if (highestImportance[method] === undefined) {
    highestImportance[method] = parameters.reduce((most, parameter) =>
      Math.max(most, ...parameter.importance[method], ...(parameter.joint_high?.[method] || [])),
    Math.max(0.05, ...data.unattributed[method]));
  }
  return highestImportance[method];
}

function barRow(parameter) {
  if (!barRows.has(parameter)) barRows.set(parameter, newBarRow(parameter));
  const { row, link, picture, number, interval, eta, tag, choice, since } = barRows.get(parameter);
  link.setAttribute("href", `#p${parameter.place}`);
  const step = state.step, verdict = verdictOf(parameter);
  const end = (name) => parameter[name]?.[state.method]?.[step];
  const low = end("low"), high = end("high");
  setBar(picture, importanceOf(parameter), highest(), verdict, low, high, end("joint_low"), end("joint_high"));
  setText(number, importanceText(importanceOf(parameter), verdict));
  number.title = number.textContent === TINY ? TINY_WORDS : "";
  const chosen = reasonNow() ? null : choiceOf(parameter);
  const between = chosen && chosen.between !== null ? `; choosing the branch explains ${percent(chosen.between)}` : "";
  setText(choice, chosen ? `${choiceWords(chosen)}${between}` : "");
  choice.title = chosen ? seen(choiceSentence(chosen)) : "";
  if (low !== undefined) setText(interval, ` ${share(low)}–${share(high)}`);
  setText(eta, etaText(etaOf(parameter), verdict));
  eta.title = eta.textContent === OVER ? OVER_WORDS : "";
  setVerdict(tag, verdict, verdictReason(parameter));
  setText(since, sinceWords(parameter));
  return row;
}

function newBarRow(parameter) {
  const link = element("a", { class: "name", title: parameter.name,
    onclick: (event) => { event.preventDefault(); openCard(parameter); } }, breakable(parameter.name, 40));
  const parts = { picture: bar(0, 1, "not testable"), number: element("span"), interval: element("span", { class: "interval" }),
    eta: element("span"), tag: verdictTag("not testable"), since: element("span", { class: "since" }), choice: element("span", { class: "choice" }) };
  const cell = (kind, ...content) => element("td", { class: kind, role: "cell" }, content);
  const row = element("tr", { role: "row" }, cell("name-cell", link, parts.choice), cell("bar-cell", parts.picture),
    cell("number", parts.number, data.level ? parts.interval : null), cell("number eta", parts.eta),
    cell("verdict-cell", parts.tag, parts.since));
  return { row, link, ...parts };
}

// Rows that were made for earlier data are updated or dropped.
function forgetBars() {
  highestImportance = {};
  for (const known of [barRows, cards]) for (const parameter of known.keys()) if (!parameters.includes(parameter)) known.delete(parameter);
  const table = byId("bars").querySelector("table");
  if (table && table.classList.contains("banded") !== Boolean(data.level)) { barRows.clear(); byId("bars").replaceChildren(); }
}

function drawBars() {
  const shown = visible(), rest = parameters.length - shown.length;
  const heading = (text, kind, title) => element("th", { scope: "col", role: "columnheader", class: kind, title }, text);
  if (!byId("bars").firstChild) {
    const interval = data.level ? ` (${percent(data.level)} interval, each)` : "";
    fill("bars", element("table", { class: data.level ? "bars banded" : "bars", role: "table" },
      element("caption", { class: "unseen" }, "Importance of each parameter"),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
        heading("Parameter", "name-cell"), heading("", "bar-cell"), heading(`Importance${interval}`, "number"),
        heading("η²", "number eta", "Share of the variance of “reaches the target set” that it explains"),
        element("th", { scope: "col", role: "columnheader", class: "verdict-cell", id: "verdict-head" }))),
      element("tbody", { id: "bar-rows", role: "rowgroup" }),
      element("tfoot", { id: "bar-rest", role: "rowgroup" })),
    element("p", { id: "bars-more" }));
  }
  patch(byId("verdict-head"), "Verdict", verdictsAge() === null ? null : element("span", { class: "age" }, asOf(" ")));
  putInOrder(byId("bar-rows"), shown.map(barRow));
  drawUnattributed();
  drawMore("bars-more", rest);
  byId("find").hidden = parameters.length <= MOST;
  byId("bars").hidden = nothingEver();
}

// The share that is attributed to no parameter, below all of them.
function drawUnattributed() {
  const rest = unattributedNow();
  if (rest < 0.0005) { refill("bar-rest"); return; }
  const cell = (kind, ...content) => element("td", { class: kind, role: "cell" }, content);
  const picture = bar(rest, highest(), "not testable");
  picture.children[1].setAttribute("class", "rest");
  refill("bar-rest", element("tr", { role: "row" }, cell("name-cell aside", "unattributed"),
    cell("bar-cell", picture), cell("number", element("span", {}, share(rest))), cell("number eta"), cell("verdict-cell")));
}

// Moves only rows whose place has changed, and keeps the focus.
function putInOrder(list, nodes) {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  list.parentElement.classList.toggle("many", nodes.length > 2 * MOST);
  const kept = new Set(nodes);
  for (const node of [...list.children]) if (!kept.has(node)) node.remove();
  nodes.forEach((node, place) => { if (list.children[place] !== node) list.insertBefore(node, list.children[place] || null); });
  if (focused && focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

function drawMore(id, rest) {
  const parts = [];
  if (state.filter.trim()) parts.push(`${count(parameters.length - rest, "parameter")} found. `);
  else if (rest || state.all) {
    const button = element("button", { type: "button", onclick: () => { state.all = !state.all; draw(); byId(id).querySelector("button").focus(); } },
      state.all ? "Show fewer" : `Show all ${parameters.length}`);
    const shown = new Set(visible()), hidden = parameters.filter((parameter) => !shown.has(parameter));
    const together = hidden.reduce((total, parameter) => total + importanceOf(parameter), 0);
    parts.push(button, state.all ? "" : ` ${rest} more with ${share(together)} together: ${hiddenWords(hidden)}`);
  }
  refill(id, ...parts);
}

function hiddenWords(hidden) {
  return Object.values(VERDICTS).map((verdict) => [verdict, hidden.filter((parameter) => verdictOf(parameter) === verdict).length])
    .filter(([, number]) => number).map(([verdict, number]) => (number === hidden.length ? verdict : `${number} ${verdict}`)).join(", ");
}

// How the verdicts were tested.
function testedWords() {
  const how = data.sampling;
  if (!how || untested() || parameters.every((parameter) => verdictOf(parameter) === "not testable")) return "";
  return element("span", { class: "tested" }, ` Tested${asOf(" ")}: ${how[0].toLowerCase()}${how.slice(1)}`);
}

// The calibrated method needs the tests, so its numbers are as old as these.
const calibratedAge = () => (state.method === "calibrated" ? asOf(" Calibrated importances are ", ".") : "");

function drawHints() {
  const reason = reasonNow(), made = byId("importance-made");
  made.hidden = Boolean(reason);
  // Before the first trial there is nothing to look at.
  for (const id of ["importance", "folds"]) byId(id).hidden = waitingForTrials();
  if (reason) { refill("importance-hint", element("strong", {}, "No conclusion is possible here: "), reason); return; }
  const reaching = data.outcome ? `being among ${targetName()}` : `reaching ${targetName()}`;
  const sums = unattributedNow() < 0.0005 ? "They sum to 1."
    : `They sum to 1 with the unattributed ${share(unattributedNow())}, which parameters without enough evidence seem to explain.`;
  const over = parameters.some((parameter) => etaText(etaOf(parameter), verdictOf(parameter)) === OVER);
  const tiny = parameters.some((parameter) => importanceOf(parameter) === 0 && verdictOf(parameter) === "matters");
  refill("importance-hint", `Each parameter's share of what explains ${reaching}. ${sums}`, calibratedAge(), element("span", { class: "narrow" }, asOf(" Verdicts ", ".")), over ? ` ${OVER_WORDS}` : "", tiny ? ` ${TINY_WORDS}` : "");
  const what = state.method === "calibrated"
    ? "Importances without the bias of the paper's smoothing: each trial is left out of its own neighbourhood, and what is probably chance gets none."
    : `${data.definition} Smoothing overstates weak effects of few trials: on problems with a known answer Calibrated is nearer to it in 71\u00a0% of cases with 50 trials and in 85\u00a0% with 200.`;
  patch(made.lastElementChild, `${what} η² is how much of ${reaching} a parameter explains by itself, from 0 to 1.`,
    gates.size ? " What choosing a branch explains is on the same scale as η² and comes in addition to it: a parameter's own numbers compare values within a branch." : "",
    " A parameter matters if its p-value, adjusted for the number of parameters (Benjamini and Hochberg), is at most 0.1.",
    data.level ? ` Lines: ${percent(data.level)} intervals, with ends for each importance by itself, the longer ones for all at all steps together.` : "", testedWords());
}

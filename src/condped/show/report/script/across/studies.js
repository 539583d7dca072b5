"use strict";
// The studies, and the order in which they and their parameters are shown.
const data = JSON.parse(document.getElementById("data").textContent);
const { parameters, studies } = data;
const VERDICTS = { m: "matters", u: "unclear", n: "no evidence", "-": "not testable" };
const MOST = 20; // parameters that are shown at first
const MOST_COLUMNS = 200; // studies on the map
const MOST_FOREST = 60; // studies in a forest plot, unless all are requested
const MOST_LISTED = 100; // rows of a table, unless all are requested
const state = { studies: "alike", parameters: "mean", filter: "", all: false };
parameters.forEach((parameter, place) => { parameter.place = place; });
studies.forEach((study, place) => { study.place = place; });

// One parameter in one study; null where the study does not have it.
const FIELDS = ["importance", "low", "high", "explained", "error", "p", "verdict", "odd", "oddP", "good", "inside", "outside"];
function cellOf(parameter, study) {
  const entry = data.cells[parameter.place][study.place];
  if (!entry) return null;
  const cell = Object.fromEntries(FIELDS.map((name, place) => [name, entry[place] ?? null]));
  return { ...cell, verdict: VERDICTS[cell.verdict], determined: !study.reason };
}

const importanceIn = (parameter, study) => { const cell = cellOf(parameter, study); return cell && cell.determined ? cell.importance : -1; };

// Sorted by a number, the highest first, equal ones in the original order.
const sortedBy = (list, number) => [...list].sort((a, b) => number(b) - number(a) || a.place - b.place);

function orderedStudies() {
  if (state.studies === "alike") return data.alike.map((place) => studies[place]);
  if (state.studies === "name") return [...studies].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  if (state.studies === "given") return studies;
  return sortedBy(studies, (study) => importanceIn(parameters[Number(state.studies)], study));
}

function orderedParameters() {
  if (state.parameters === "name") return [...parameters].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  if (state.parameters === "spread") return sortedBy(parameters, (parameter) => parameter.spread);
  if (state.parameters === "mean") return parameters;
  return sortedBy(parameters, (parameter) => importanceIn(parameter, studies[Number(state.parameters)]));
}

function visible() {
  const search = state.filter.trim().toLowerCase();
  if (search) return parameters.filter((parameter) => parameter.name.toLowerCase().includes(search));
  return state.all ? parameters : parameters.slice(0, MOST);
}

const studyLink = (study) => (study.report ? element("a", { href: study.report }, cut(study.name, 40)) : nameTag(study.name));

// A cell in words.
function cellWords(parameter, study) {
  const cell = cellOf(parameter, study), where = `${cut(parameter.name, 40)} in ${cut(study.name, 40)}`;
  if (!cell) return [where, "not a parameter of this study."];
  if (!cell.determined) return [where, study.reason];
  const parts = [`importance ${share(cell.importance)}${cell.low === null ? "" : ` (${share(cell.low)}–${share(cell.high)})`}, ${cell.verdict}${cell.p === null ? "" : ` (${pWords(cell.p)})`}.`];
  if (cell.good.length) parts.push(`Good: ${cell.good.slice(0, 3).map((label) => cut(label, 40)).join("; ")}${cell.inside === null ? "" : `: median ${short(cell.inside)} inside, ${short(cell.outside)} outside`}.`);
  if (cell.odd) parts.push(`Odd: unlike all other studies (adjusted ${pWords(cell.oddP)}).`);
  return [where, parts.join(" ")];
}

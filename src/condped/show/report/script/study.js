"use strict";
// The study, and the current view of it: one step of the slider, one method.
const data = JSON.parse(document.getElementById("data").textContent);
// In the order of the space. Each remains the same object when the data change.
const parameters = [];
// updates: how often the data have changed; chosen: whether the reader has chosen the method.
const state = { step: data.start, method: data.method, chosen: false, all: false, filter: "", updates: 0 };
const MOST = 20; // parameters that are shown at first
const FEW_EMPTY = 4; // rows without any importance that are not worth hiding
const VERDICTS = { m: "matters", u: "unclear", n: "no evidence", "-": "not testable", "?": "not tested yet" };
const OUTCOMES = {
  failed: ["failing", "the failed trials"],
  pruned: ["being pruned", "the pruned trials"],
  infeasible: ["being infeasible", "the infeasible trials"],
  nonfinite: ["an objective that is not finite", "the trials without a finite objective"],
};
// Values enriched in the target set are good, unless the target set is an outcome such as failing.
const ENRICHED = data.outcome
  ? { title: "Values that lead to it", card: "leads to it:", tag: "leads to it", words: "values that lead to it" }
  : { title: "Good values", card: "good:", tag: "good", words: "good values" };
const single = () => data.objectives.length === 1;

// Trials that have ended, and those that the verdicts are based on. Verdicts take longer than numbers, so
// they may be older; null before the first verdicts.
const finishedTrials = () => data.account.trials.total - data.account.trials.running;
const untested = () => data.tested === null;
const verdictsAge = () => (data.tested && data.tested.trials < finishedTrials() ? data.tested.trials : null);
const asOf = (before = "", after = "") => (verdictsAge() === null ? "" : `${before}as of trial ${whole(verdictsAge())}${after}`);

const importanceOf = (parameter) => parameter.importance[state.method][state.step];
const etaOf = (parameter) => parameter.eta[state.method][state.step];
const verdictOf = (entry) => VERDICTS[entry.verdict[state.step]];
const unattributedNow = () => data.unattributed[state.method][state.step];
// The reason of a verdict, if there is one.
const verdictReason = (entry, step = state.step) => entry.reason[entry.reason.length === 1 ? 0 : step] || "";
// Trials that the objective cannot separate, if that changes the target set notably.
function tieAt(step = state.step) {
  const tie = data.ties[step];
  return tie && tie.notable ? tie : null;
}
const reasonNow = () => data.reasons[state.method][state.step];

// Whether no conclusion is possible at any step by any method.
const nothingEver = () => Object.values(data.reasons).every((reasons) => reasons.every(Boolean));

// The parameters, the most important first; equal ones in the order of the space.
function ranked() {
  return [...parameters].sort((a, b) => importanceOf(b) - importanceOf(a) || a.place - b.place);
}

// The parameters that match the search, or are worth showing.
function visible() {
  const search = state.filter.trim().toLowerCase();
  const order = ranked();
  if (search) return order.filter((parameter) => parameter.name.toLowerCase().includes(search));
  if (state.all) return order;
  const telling = order.filter((parameter) => importanceOf(parameter) >= 0.0005 || ["matters", "unclear"].includes(verdictOf(parameter)));
  return (order.length - telling.length > FEW_EMPTY && telling.length ? telling : order).slice(0, MOST);
}

// Counts as base-36 digits after a colon, without trailing zeros, or separated by commas, empty for 0.
function numbers(text, cells) {
  const found = text.startsWith(":") ? [...text.slice(1)].map((digit) => parseInt(digit, 36)) : text.split(",").map(Number);
  return Array.from({ length: cells }, (_, cell) => found[cell] || 0);
}
const cellsOf = ({ domain, cells }) => (domain?.choices ? domain.choices.length : cells || 1);

// Values derived from entries of the data, dropped together with these.
const made = new WeakMap();
function madeOf(entry, name, make) {
  if (!made.has(entry)) made.set(entry, new Map());
  const known = made.get(entry);
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
}

const regionCounts = (regime) => madeOf(regime, "region", () => numbers(regime.region, cellsOf(regime)));

// The sets are nested; each entry is what a set adds to the one before.
function targetCounts(regime, step = state.step) {
  return madeOf(regime, "target", () => {
    let before = regionCounts(regime).map(() => 0);
    return regime.target.map((text) => {
      const added = numbers(text, cellsOf(regime));
      before = before.map((count, cell) => count + added[cell]);
      return before;
    });
  })[step];
}

const sum = (counts) => counts.reduce((total, count) => total + count, 0);
const goodOf = (regime, step = state.step) => (regime.good && regime.good[step]) || [];

// When a regime holds: by its condition if known, otherwise by its domain.
const regimeWhere = (regime, most = 60) => (regime.condition ? `where ${cut(regime.condition, most)}` : `where it is in ${cut(regime.label, most)}`);

// The name of the target set.
function targetName(step = state.step) {
  if (data.outcome) return (OUTCOMES[data.outcome] || ["", "the target trials"])[1];
  const tie = tieAt(step);
  return tie && tie.kind !== "objectives" ? `the best ${usedShare(tie)}` : `the best ${percent(data.steps[step])}`;
}
// The share that a target set really has, ties included.
const usedShare = (tie) => `${+(100 * tie.used_share).toPrecision(3)}\u00a0%`;

// The branches of each gate, wherever it is in the tree; numbers from several places are added.
const gates = new Map();
function findGates(nodes) {
  for (const node of nodes) {
    for (const branch of node.branches || []) {
      if (!gates.has(node.parameter)) gates.set(node.parameter, { choosing: node.choosing, places: 0, branches: new Map() });
      const known = gates.get(node.parameter).branches, before = known.get(branch.label);
      known.set(branch.label, { trials: branch.trials + (before ? before.trials : 0),
        target: branch.target.map((count, step) => count + (before ? before.target[step] : 0)) });
      findGates(branch.nodes);
    }
    if (node.branches && gates.has(node.parameter)) gates.get(node.parameter).places += 1;
  }
}

function takeData() {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  parameters.length = 0;
  data.parameters.forEach((entry, place) => {
    const own = known.get(entry.name) || {};
    for (const name of Object.keys(own)) delete own[name];
    parameters.push(Object.assign(own, entry, { place }));
  });
  gates.clear();
  if (data.tree) findGates(data.tree.roots);
}
takeData();

// What a gate decides: where the target trials are. Null if it is not a gate.
function choiceOf(parameter) {
  const gate = gates.get(parameter.place);
  if (!gate) return null;
  const entries = [...gate.branches].sort(([, a], [, b]) => b.target[state.step] - a.target[state.step] || a.trials - b.trials);
  const [label, { trials, target }] = entries[0];
  // A gate that is not always active decides among the trials that have it.
  const size = sum(entries.map(([, entry]) => entry.target[state.step])), every = sum(entries.map(([, entry]) => entry.trials));
  const here = target[state.step];
  if (!here) return null;
  return { label, here, size, share: trials / Math.max(1, every), always: every === data.region, between: gate.places === 1 ? gate.choosing[state.step] : null };
}

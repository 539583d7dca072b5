// The trials, the settings, the versions.
const GLOSSARY = [
  ["Target set", "the best trials, as many as the slider says, ties included; its members are called target trials or good"],
  ["Region set", "the trials that are analysed: all, unless a region quantile was set"],
  ["Importance", "share of what all parameters explain about reaching the target set; 1 in all"],
  ["η²", "how much of reaching the target set a parameter explains by itself, from 0 to 1"],
  ["Regime", "how a parameter behaves: absent, or present with one domain; values are compared within regimes"],
  ["Verdict", "matters: statistically significant after adjustment for the number of parameters (at most one in ten of those named is expected to be a false alarm); unclear: significant only before the adjustment; no evidence: the trials do not show an effect; not testable: they cannot show one"],
];

function accountGist() {
  const { trials } = data.account, notes = data.texts.lines.length;
  return `${whole(trials.used)} of ${count(trials.total, "trial")}${notes ? `, ${count(notes, "note")}` : ""}`;
}

function drawAccount() {
  const { trials } = data.account, { lines } = data.texts;
  const words = { total: "All trials", used: "Used", failed: "Failed", pruned: "Pruned", running: "Still running",
    nonfinite: "Without a finite objective", infeasible: "Infeasible", counted_as_worst: "Counted as worst" };
  const shown = Object.entries(words).filter(([kind]) => trials[kind] || kind === "total" || kind === "used");
  const rows = shown.map(([kind, label]) => [label, whole(trials[kind])]);
  rows.push(["In the region set", whole(data.region)]);
  const tie = data.ties[state.step], size = whole(data.sizes[state.step]);
  rows.push(["In the target set", tie && tie.kind !== "objectives" ? `${size} (${whole(tie.asked)} without ties)` : size]);
  const settings = Object.entries(data.settings).filter(([name, value]) => value !== null && !(name === "looks" && untested())).map(([name, value]) => [name.replaceAll("_", " "), String(value)]);
  const versions = Object.entries(data.versions);
  refill("account",
    element("div", { class: "columns" },
      element("div", {}, element("h3", {}, "Trials"), table("Trials", ["", ""], rows, [1])),
      element("div", {}, element("h3", {}, "Settings"), table("Settings", ["", ""], settings)),
      element("div", {}, element("h3", {}, "Versions"), table("Versions", ["", ""], versions))),
    element("h3", {}, "Words"), element("dl", { class: "facts words" }, GLOSSARY.map(([word, meaning]) => element("div", {}, element("dt", {}, word), element("dd", {}, meaning)))),
    lines.length ? [element("h3", {}, "Notes"), element("ul", { class: "leave" }, lines.map((line) => element("li", {}, line)))] : []);
}

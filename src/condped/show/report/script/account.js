// The trials, the settings, the versions.
function accountTold() {
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
  const tie = (data.ties || [])[state.step], size = whole(data.sizes[state.step]);
  rows.push(["In the target set", tie && tie.kind !== "objectives" ? `${size} (${whole(tie.asked)} without ties)` : size]);
  const settings = Object.entries(data.settings).filter(([, value]) => value !== null).map(([name, value]) => [name.replaceAll("_", " "), String(value)]);
  const versions = Object.entries(data.versions);
  fill("account",
    element("div", { class: "columns" },
      element("div", {}, element("h3", {}, "Trials"), table("Trials", ["", ""], rows, [1])),
      element("div", {}, element("h3", {}, "Settings"), table("Settings", ["", ""], settings)),
      element("div", {}, element("h3", {}, "Versions"), table("Versions", ["", ""], versions))),
    lines.length ? [element("h3", {}, "Notes"), element("ul", { class: "leave" }, lines.map((line) => element("li", {}, line)))] : []);
}

// The trials, the settings, the versions.
function drawAccount() {
  const { trials } = data.account, { lines } = data.texts;
  const words = { total: "All trials", used: "Used", failed: "Failed", pruned: "Pruned", running: "Still running",
    nonfinite: "Without a finite objective", infeasible: "Infeasible", counted_as_worst: "Counted as worst" };
  const shown = Object.entries(words).filter(([kind]) => trials[kind] || kind === "total" || kind === "used");
  const rows = shown.map(([kind, label]) => [label, whole(trials[kind])]);
  rows.push(["In the region set", whole(data.region)]);
  const target = element("span", {});
  rows.push(["In the target set", target]);
  drawAccount.update = () => {
    const tie = (data.ties || [])[state.step], size = whole(data.sizes[state.step]);
    target.replaceChildren(tie && tie.kind !== "objectives" ? `${size} (${whole(tie.asked)} without ties)` : size);
  };
  drawAccount.update();
  const settings = Object.entries(data.settings).filter(([, value]) => value !== null).map(([name, value]) => [name.replaceAll("_", " "), String(value)]);
  const versions = Object.entries(data.versions);
  fill("account",
    element("div", { class: "columns" },
      element("div", {}, element("h3", {}, "Trials"), table("Trials", ["", ""], rows, [1])),
      element("div", {}, element("h3", {}, "Settings"), table("Settings", ["", ""], settings)),
      element("div", {}, element("h3", {}, "Versions"), table("Versions", ["", ""], versions))),
    lines.length ? [element("h3", {}, "Notes"), element("ul", { class: "leave" }, lines.map((line) => element("li", {}, line)))] : []);
  fill("footer", element("p", {}, `Made by condped ${data.versions.condped}, after condPED-ANOVA (Baba, Ozaki and Watanabe, KDD 2026). This page is one file and asks no server for anything.`));
}

// The answer in plain words.
function drawAnswer() {
  fill("source", data.title);
  fill("question", `What matters in ${data.total === 1 ? "this study" : `these ${whole(data.total)} studies`}?`);
  fill("goal", data.headline);
  const { matters, differ, odd, branches } = data.answer;
  const rows = [];
  if (differ) rows.push(["Where they differ", differ]);
  if (odd) rows.push(["Odd ones", odd.replace(/^Odd: /, "")]);
  if (branches.length) rows.push(["Branches", branches.map((sentence) => element("div", {}, sentence))]);
  const silent = studies.filter((study) => study.reason);
  if (silent.length) rows.push(["Not told", [listed(silent.map((study) => study.name)), `: ${silent.length === 1 ? silent[0].reason : "see study by study."}`].flat()]);
  fill("answer-text", element("p", { class: "lead" }, matters),
    element("dl", { class: "facts" }, rows.map(([label, content]) => element("div", {}, element("dt", {}, label), element("dd", {}, content)))));
}

function basisTold() {
  return `${count(studies.length, "study").replace("studys", "studies")}, ${data.notes.length ? count(data.notes.length, "note") : "no notes"}`;
}

function drawBasis() {
  const settings = Object.entries(data.settings).filter(([, value]) => value !== null).map(([name, value]) => [name.replaceAll("_", " "), String(value)]);
  fill("account",
    element("p", { class: "hint" }, data.meaning),
    element("div", { class: "columns" },
      element("div", {}, element("h3", {}, "Settings"), table("Settings", ["", ""], settings)),
      element("div", {}, element("h3", {}, "Versions"), table("Versions", ["", ""], Object.entries(data.versions)))),
    data.notes.length ? [element("h3", {}, "Notes"), element("ul", { class: "leave" }, data.notes.map((note) => element("li", {}, note)))] : []);
}

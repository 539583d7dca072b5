// The answer in plain words.

// A sentence whose names stay on one line, with their brackets: "run-v2" would break after its hyphen.
function namesWhole(sentence) {
  const names = [...studies, ...parameters].map((one) => one.name).filter((name) => /\S[-\s/]+\S/.test(name) && name.length <= 32);
  if (!names.length) return [sentence];
  const escaped = [...new Set(names)].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return sentence.split(new RegExp(`(\\S*(?:${escaped.join("|")})\\S*)`, "u")).map((part, place) => (place % 2 ? element("span", { class: "whole" }, part) : part));
}

function drawAnswer() {
  fill("source", data.title);
  fill("question", `What matters in ${data.total === 1 ? "this study" : `these ${whole(data.total)} studies`}?`);
  fill("goal", data.headline);
  const { twice, matters, differ, odd, branches } = data.answer;
  const rows = [];
  if (differ) rows.push(["Where they differ", namesWhole(differ)]);
  if (odd) rows.push(["Odd ones", namesWhole(odd.replace(/^Odd: /, ""))]);
  if (branches.length) rows.push(["Branches", branches.map((sentence) => element("div", {}, namesWhole(sentence)))]);
  const silent = studies.filter((study) => study.reason);
  if (silent.length) rows.push(["No conclusion", [listed(silent.map((study) => study.name)), `: ${silent.length === 1 ? silent[0].reason : "see study by study."}`].flat()]);
  fill("answer-text", twice ? element("p", { class: "mind" }, namesWhole(twice)) : null, element("p", { class: "lead" }, namesWhole(matters)),
    element("dl", { class: "facts" }, rows.map(([label, content]) => element("div", {}, element("dt", {}, label), element("dd", {}, content)))));
}

function basisGist() {
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

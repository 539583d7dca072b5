// Branches and studies as tables, and all numbers as files.
function gatesOf() {
  const found = new Map();
  for (const branch of data.branches) {
    if (!found.has(branch.gate)) found.set(branch.gate, { labels: [], studies: new Map() });
    const gate = found.get(branch.gate);
    if (!gate.labels.includes(branch.branch)) gate.labels.push(branch.branch);
    if (!gate.studies.has(branch.study)) gate.studies.set(branch.study, new Map());
    gate.studies.get(branch.study).set(branch.branch, branch);
  }
  return found;
}

function branchesGist() {
  return data.answer.branch_heading;
}

// The first rows of a long table, and a button for all of them.
function longTable(caption, header, rows, right = []) {
  if (rows.length <= MOST_LISTED) return table(caption, header, rows, right);
  const box = element("div", {}, table(caption, header, rows.slice(0, MOST_LISTED), right));
  box.append(element("p", { class: "aside" }, element("button", { type: "button",
    onclick: () => box.replaceChildren(table(caption, header, rows, right)) }, `Show all ${whole(rows.length)}`)));
  return box;
}

function branchCell(branch) {
  if (!branch) return "–";
  const standing = branch.standing === "no evidence" ? null : element("span", { class: branch.standing }, `${branch.standing} `);
  return [standing, `${whole(branch.target_trials)} of ${whole(branch.target_of)}`, element("span", { class: "choice" },
    `with ${percent(branch.trials / Math.max(1, branch.of))} of trials${branch.median === null ? "" : `, median ${short(branch.median)}`}`)].filter(Boolean);
}

function drawBranches() {
  const parts = [element("p", { class: "hint" }, `Target trials in each branch, of those in which the gate is active. ${data.branch_meaning}`)];
  for (const [gate, { labels, studies: own }] of gatesOf()) {
    parts.push(element("h3", {}, "Branches of ", nameTag(gate)));
    const shown = longTable(`Branches of ${gate}`, ["Study", ...labels.map((label) => cut(label, 32))], [...own].map(([study, branches]) =>
      [nameTag(study), ...labels.map((label) => branchCell(branches.get(label)))]));
    shown.classList.add("gate-table");
    parts.push(shown);
  }
  fill("branch-list", ...parts);
}

function studiesGist() {
  const linked = studies.some((study) => study.report);
  return linked ? "with a report of each" : "trials, and what matters most in each";
}

function drawStudies() {
  const rows = studies.map((study) => {
    const cells = parameters.map((parameter) => [parameter, cellOf(parameter, study)]).filter(([, cell]) => cell);
    const matter = cells.filter(([, cell]) => cell.determined && cell.verdict === "matters").sort(([, a], [, b]) => b.importance - a.importance);
    const odd = cells.filter(([, cell]) => cell.odd).map(([parameter]) => parameter.name);
    const matters = study.reason ? element("span", { class: "mind" }, study.reason) : matter.length ? listedText(matter.map(([parameter, cell]) => `${cut(parameter.name, 24)} ${cell.importance.toFixed(2)}`), 3) : "nothing, as far as its trials show";
    return [studyLink(study), study.used < study.trials ? `${whole(study.used)} of ${whole(study.trials)}` : whole(study.used), whole(study.target), matters, odd.length ? element("span", { class: "apart" }, listedText(odd, 3)) : "", study.missing.length ? listedText(study.missing, 2) : ""];
  });
  fill("study-list", longTable("Studies", ["Study", "Trials used", "Target set", "Matters", "Odd", "Does not have"], rows, [1, 2]));
}

function cellsCsv() {
  const header = ["parameter", "study", "importance", "low", "high", "explained", "error", "p_value", "verdict", "odd", "odd_p_value", "good", "inside", "outside"];
  return csv(header, parameters.flatMap((parameter) => studies.map((study) => [parameter, study, cellOf(parameter, study)]).filter(([, , cell]) => cell)
    .map(([, study, cell]) => [parameter.name, study.name, ...FIELDS.map((name) => (name === "good" ? cell.good.join("; ") : name === "odd" ? Boolean(cell.odd) : cell[name]))])));
}

function pooledCsv() {
  const header = ["name", "studies", "importance", "low", "high", "explained", "spread", "spread_p", "adjusted_p", "agreement", "matters_in"];
  return csv(header, parameters.map((parameter) => header.map((name) => parameter[name])));
}

function branchesCsv() {
  const header = ["gate", "branch", "study", "trials", "target_trials", "of", "target_of", "median", "best", "p_value", "standing"];
  return csv(header, data.branches.map((branch) => header.map((name) => branch[name])));
}

function drawDownloads() {
  fill("downloads", fileList([
    ["Each parameter in each study", "across.csv", cellsCsv, "text/csv"],
    ["Each parameter over all studies", "pooled.csv", pooledCsv, "text/csv"],
    ...(data.branches.length ? [["Each branch in each study", "branches.csv", branchesCsv, "text/csv"]] : []),
    ["Everything on this page", "across.json", () => byId("data").textContent, "application/json"],
  ]));
}

// Which parameters activate which, with importances in the study and in each branch.
const openBranches = new Set(); // by their conditions
const MOST_PLAIN = 8; // parameters that are not gates, side by side
const FEW_INSIDE = 10; // trials of a branch, below which its own importances are not shown

function treeGist() {
  if (!data.tree) return "not for this question";
  const names = [...gates.keys()].map((place) => parameters[place].name);
  if (names.length) return `${listedText(names)} ${names.length === 1 ? "chooses" : "choose"} the branch`;
  return data.tree.unexplained.length ? "some parameters are not always active" : "no parameter activates another";
}

function drawTree() {
  if (!data.tree) { refill("tree", element("p", {}, data.missing)); return; }
  const { roots, found_from: from, unexplained, inactive } = data.tree;
  const gates = roots.filter((node) => node.branches);
  const plain = roots.filter((node) => !node.branches);
  const names = (places) => listed(places.map((place) => parameters[place].name), 12);
  const notes = [];
  if (unexplained.length) notes.push(element("p", { class: "aside" }, "Not active in all trials, or not in one domain; the condition could not be inferred: ", names(unexplained), "."));
  if (inactive.length) notes.push(element("p", { class: "aside" }, "Not active in any trial: ", listed(inactive, 12), "."));
  if (!data.account.trials.total || !parameters.length) {
    refill("tree", element("p", {}, `No conclusion is possible: there are no ${data.account.trials.total ? "parameters" : "trials"}.`));
    return;
  }
  if (!gates.length) {
    const why = unexplained.length ? "No parameter was found to activate another." : "No parameter activates another: all are always active, each with one domain.";
    refill("tree", element("p", {}, why), ...notes);
    return;
  }
  const leftOut = data.account.trials.total > data.account.trials.used;
  const where = from === "space" ? "given by the space" : leftOut ? "inferred from all trials, including those that were left out" : "inferred from the trials";
  refill("tree", agePart("What matters inside a branch"),
    element("p", { class: "hint" }, `The structure is ${where}. Beside each name: its importance in the whole study. Open a branch to see what matters among its own trials, so that losing branches are explained, too.`),
    element("ul", { class: "tree" }, gates.map(treeNode), plainNodes(plain, "Always active, activating no others")), ...notes);
}

function treeNode(node) {
  const parameter = parameters[node.parameter], verdict = verdictOf(parameter), hidden = verdict === "not testable";
  const number = element("span", { class: "tree-number", hidden }, importanceText(importanceOf(parameter), verdict));
  const picture = element("span", { class: "tree-bar", hidden }, bar(importanceOf(parameter), highest(), verdict));
  return element("li", { class: "node" },
    element("div", { class: "tree-row" },
      element("a", { class: "name", href: `#p${parameter.place}`, title: parameter.name, onclick: (event) => { event.preventDefault(); openCard(parameter); } }, breakable(parameter.name, 40)),
      picture, number, verdictTag(verdict, verdictReason(parameter))),
    node.branches ? element("div", {}, element("span", { class: "aside" }, choosingWords(node, parameter)), element("ul", {}, node.branches.map((branch) => treeBranch(branch, parameter)))) : null);
}

function choosingWords(node, parameter) {
  if (!node.choosing) return "";
  const choice = choiceOf(parameter), several = node.branches.filter((branch) => branch.trials).length > 1;
  const text = several ? `choosing the branch explains ${percent(node.choosing[state.step])}`
    : "what choosing the branch does is unknown: only one has used trials";
  return `${text}${several && choice ? `; ${choiceWords(choice)}` : ""}`;
}

function plainNodes(nodes, words) {
  if (nodes.length <= MOST_PLAIN) return nodes.map(treeNode);
  const open = openBranches.has(words);
  const box = element("details", { open, ontoggle: (event) => toggleBranch(event, words) },
    element("summary", {}, `${words}: ${count(nodes.length, "parameter")}`), open ? element("ul", { class: "tree" }, nodes.map(treeNode)) : null);
  return [element("li", { class: "node" }, box)];
}

// What the trials of a branch reached, for each objective.
function reachedWords(branch) {
  return branch.best.map((best, place) => (best === null ? ""
    : ` · ${single() ? "" : `${cut(data.objectives[place][0], 16)}: `}median ${inUnits(branch.median[place])}, best ${inUnits(best)}`)).join("");
}

const lastWords = (branch) => (branch.last ? ` · last tried in trial ${branch.last[0]}` : "");

function treeBranch(branch, gate) {
  const text = branch.trials || !branch.left_out || data.region < data.used
    ? `${count(branch.trials, "trial")}${branch.left_out ? `, ${whole(branch.left_out)} more left out` : ""} · ${whole(branch.target[state.step])} of ${targetName()}${reachedWords(branch)}${lastWords(branch)}`
    : `no used trial; ${whole(branch.left_out)} left out${lastWords(branch)}`;
  const open = openBranches.has(branch.condition);
  const box = element("details", { class: "branch", open, ontoggle: (event) => toggleBranch(event, branch.condition) },
    element("summary", { title: branch.condition },
      element("span", { class: "branch-label" }, cut(gate.name, 28), element("strong", {}, ` ${cut(branch.label || "(empty)", 40)}`)), element("span", { class: "branch-text" }, text)),
    element("div", { class: "inside" }, open ? insideParts(branch) : []));
  const gates = branch.nodes.filter((node) => node.branches), plain = branch.nodes.filter((node) => !node.branches);
  const below = branch.nodes.length ? element("ul", {}, gates.map(treeNode), plainNodes(plain, "Activated here")) : null;
  return element("li", {}, box, below);
}

// Its content is made when it is opened.
function toggleBranch(event, key) {
  const { open } = event.currentTarget;
  if (open === openBranches.has(key)) return;
  if (open) openBranches.add(key); else openBranches.delete(key);
  if (open) drawTree();
}

function insideParts(branch) {
  if (!branch.inside) return [element("p", {}, `What matters inside is ${untested() ? "not tested yet" : "not known yet: the branch is newer than the verdicts"}.`)];
  const { parameters: rows, reasons, sizes, more, unattributed } = branch.inside;
  const all = reasons[state.method], reason = all.length === 1 ? all[0] : all[state.step];
  if (branch.trials < FEW_INSIDE) {
    return [element("p", {}, `${count(branch.trials, "trial")}: too few to tell what matters inside.`)];
  }
  if (reason || !rows.length) {
    return [element("p", {}, `No conclusion is possible inside: ${reason || "no parameter varies here."}`)];
  }
  const order = [...rows].sort((a, b) => b.eta[state.method][state.step] - a.eta[state.method][state.step]);
  const inside = order.map((row) => {
    const value = row.importance[state.method][state.step];
    return [nameTag(parameters[row.parameter].name), bar(value, 1, verdictOf(row)), importanceText(value, verdictOf(row)), etaText(row.eta[state.method][state.step], verdictOf(row)), verdictTag(verdictOf(row), verdictReason(row))];
  });
  return [
    element("p", {}, element("strong", {}, "Inside this branch alone: "), `what leads to the best ${whole(sizes[state.step])} of its own ${verdictsAge() === null ? count(branch.trials, "trial") : "trials"}, ${asOf("", ", ")}where ${cut(branch.condition, 120)}`),
    table(`Importances inside ${branch.condition}`, ["Parameter", "", "Importance", "η²", "Verdict"], inside, [2, 3]),
    more ? element("p", { class: "aside" }, `${more} more with lower η².`) : "",
    rows.some((row) => etaText(row.eta[state.method][state.step], verdictOf(row)) === OVER) ? element("p", { class: "aside" }, OVER_WORDS) : "",
    unattributed[state.method][state.step] < 0.0005 ? "" : element("p", { class: "aside" },
      `Unattributed: ${share(unattributed[state.method][state.step])}.`)];
}

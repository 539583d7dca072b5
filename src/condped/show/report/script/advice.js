// What to do next.
const adviceChanges = () => (data.advice ? data.advice.steps.filter((step) => step.kind !== "leave") : []);

function adviceGist() {
  if (!data.advice) return data.tree ? (untested() ? "not tested yet" : "no advice here") : null; // the tree's section says why
  const changes = adviceChanges();
  return changes.length ? `${count(changes.length, "change")} of the search space` : "change nothing";
}

function drawAdvice() {
  const advice = data.advice;
  if (!advice) { refill("advice", element("p", {}, data.missing || "Advice follows from the tests, which are not done yet.")); return; }
  const changes = adviceChanges();
  const left = advice.steps.filter((step) => step.kind === "leave");
  const parts = [agePart(), element("p", { class: "hint" }, `Advice for ${targetName(data.start)}; the slider does not change it. Only parameters with strong evidence of an effect are narrowed, and a margin is kept around their good values.`)];
  if (changes.length) {
    parts.push(element("ol", { class: "steps" }, changes.map(adviceStep)), advice.risk ? together(advice) : "");
  } else {
    parts.push(element("p", {}, element("strong", {}, "Change nothing. "), `${advice.why_nothing[0].toUpperCase()}${advice.why_nothing.slice(1)}`));
  }
  for (const { name, label, words } of valuesToAvoid()) {
    parts.push(element("p", {}, element("strong", {}, "Avoid "), nameTag(name), element("strong", {}, ` ${cut(label, 48)}`), `, or fix what fails: ${words}.`));
  }
  if (left.length) parts.push(leaveAlone(left));
  for (const note of advice.notes) parts.push(element("p", { class: "aside" }, note));
  if (changes.length) {
    parts.push(...Object.entries(advice.code).map(([tool, code]) => codeBox(`Code for ${tool}`, tool === "Optuna"
      ? "For a new study (Optuna refuses other choices in an old one). Or keep your code and call condped.advise(study).start(study): it keeps the old trials and draws some of the new ones from the old space." : "", code, CODE_FILES[tool])),
      Object.keys(advice.code).length < 2 ? element("p", { class: "aside" }, "Code for other tools: condped advise --code configspace, ray or hyperopt.") : "",
      codeBox("The new space, as JSON", "condped and other tools read it back.", `${JSON.stringify(advice.space, null, 2)}\n`, "space.json"));
  }
  refill("advice", ...parts);
}

const CODE_FILES = { Optuna: "suggest.py", "ConfigSpace, SMAC": "configspace_space.py", "Ray Tune": "ray_space.py", Hyperopt: "hyperopt_space.py" };
const STEPS = { fix: "Fix", narrow: "Narrow", choices: "Keep fewer choices of", widen: "Widen" };

// Where a parameter has the domain of a step, if it has several.
function stepWhere(step) {
  if (!step.regime) return "";
  const own = parameters.find((parameter) => parameter.name === step.parameter);
  const regime = own && own.regimes.find((one) => one.domain && one.label === step.regime);
  return ` ${regimeWhere(regime || { label: step.regime })}`;
}

// A step in one line.
const stepWords = (step) => [`${STEPS[step.kind]} `, nameTag(step.parameter), stepWhere(step), ": ", ...moveWords(step)];

function adviceStep(step) {
  return element("li", {},
    element("p", { class: "step" }, element("span", { class: "kind" }, `${STEPS[step.kind]} `), nameTag(step.parameter), stepWhere(step),
      element("span", { class: "move" }, ...moveWords(step))),
    element("p", { class: "aside" }, step.kind === "widen" ? `${step.reason} ${step.risk}`
      : `Keeps ${whole(step.kept)} of ${whole(step.of)} target trials in ${percent(step.covered)} of the domain. ${step.reason}`));
}

// Few choices that are removed are easier to read than many that stay.
function moveWords(step) {
  if (step.without && step.without.length <= 3) return ["without ", element("strong", {}, step.without.map((choice) => cut(choice, 30)).join(", "))];
  return [element("span", {}, cut(step.domain, 60)), " → ", element("strong", {}, cut(step.proposal, 60))];
}

function together(advice) {
  const before = advice.target_size / Math.max(1, advice.region_size), after = advice.kept_target / Math.max(1, advice.kept_region);
  const gone = advice.dropped.length ? [" ", ...listed(advice.dropped), advice.dropped.length === 1 ? " becomes inactive." : " become inactive."] : [];
  return element("p", { class: "together" }, "All together: ", element("strong", {}, `${percent(after)} of the trials that stay are in the target set`),
    `, instead of ${percent(before)}. ${whole(advice.kept_target)} of ${whole(advice.target_size)} target trials stay.`, ...gone, ` ${advice.risk}`);
}

function leaveAlone(left) {
  const reasons = new Map();
  for (const step of left) reasons.set(step.reason, [...(reasons.get(step.reason) || []), step.parameter]);
  return element("div", {}, element("h3", {}, "Leave as they are"), element("ul", { class: "leave" },
    [...reasons].map(([reason, names]) => element("li", {}, listed([...new Set(names)], 12), `: ${reason}`))));
}

function codeBox(title, words, text, file) {
  const said = element("span", { role: "status", class: "aside said" });
  const code = element("pre", { tabindex: 0, "aria-label": title }, element("code", {}, text));
  const copy = element("button", { type: "button", onclick: (event) => copyText(text, event.currentTarget.closest(".code")) }, "Copy");
  const save = element("button", { type: "button", onclick: () => download(file, text, "text/plain") }, `Save as ${file}`);
  return element("details", { class: "code" }, element("summary", {}, title),
    element("p", { class: "aside" }, words), code, element("p", {}, copy, " ", save, " ", said));
}

function copyText(text, box) {
  const code = box.querySelector("pre"), said = box.querySelector(".said");
  const selected = () => {
    // Not every browser lets a file use the clipboard; then the text is at least selected.
    getSelection().selectAllChildren(code);
    said.replaceChildren(document.execCommand("copy") ? "Copied" : "Selected: copy it with Ctrl+C");
  };
  if (!navigator.clipboard) { selected(); return; }
  navigator.clipboard.writeText(text).then(() => said.replaceChildren("Copied"), selected);
}

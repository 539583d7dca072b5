// What led trials to fail, to be pruned, to diverge or to be infeasible.
const ENDED = { failed: ["failed", "failed"], pruned: ["was pruned", "were pruned"], nonfinite: ["has no finite objective", "have no finite objective"], infeasible: ["is infeasible", "are infeasible"] };
const endedWords = (outcome, trials) => ENDED[outcome][trials === 1 ? 0 : 1];
const causes = (ending) => ending.parameters.filter((cause) => cause.verdict === "matters");

function endingsGist() {
  if (!data.endings.length) return null;
  return data.endings.map((ending) => {
    const names = causes(ending).map((cause) => cause.name);
    return `${whole(ending.trials)} ${endedWords(ending.outcome, ending.trials)}${names.length ? ` (depends on ${listedText(names, 2)})` : ""}`;
  }).join("; ");
}

function drawEndings() {
  refill("ending-list", agePart(), data.endings.map((ending) => element("div", { class: "ending" },
    element("h3", {}, `${whole(ending.trials)} of ${count(ending.of, "trial")} ${endedWords(ending.outcome, ending.trials)}`), endingParts(ending))));
}

function endingParts(ending) {
  const found = causes(ending);
  const [own, total] = ending.seconds || []; // as of the same time as the counts
  const lost = own ? element("p", { class: "aside" }, `They took ${seconds(own)}, ${percent(own / total)} of the time of all trials.`) : null;
  if (ending.reason) return [element("p", {}, `What led to it could not be determined: ${ending.reason}.`), lost];
  if (!found.length) return [element("p", {}, "No parameter has a statistically significant effect on it."), lost];
  const rest = ending.parameters.length - found.length;
  return [
    table(`Values with which more trials ${endedWords(ending.outcome, 2)}`, ["Parameter", "Values", "With them", "With others", "p, adjusted"], found.flatMap(causeRows), [2, 3, 4]),
    rest ? element("p", { class: "aside" }, `${count(rest, "other parameter")}: no statistically significant effect on it.`) : null, looksPart(), lost];
}

// A p-value may be older than the counts beside it.
const looksPart = () => (data.settings.looks === "repeated" ? element("p", { class: "aside" }, "p-values allow for repeated looks: each is the smallest of all looks so far, and may be that of an earlier look than these counts.") : null);

// Values with which most trials end without a result, which advice on good values does not consider.
function valuesToAvoid() {
  const lost = data.endings.filter(({ outcome }) => outcome === "failed" || outcome === "nonfinite");
  return lost.flatMap((ending) => causes(ending).flatMap((cause) => cause.values.filter(({ inside: [some, of] }) => of >= 5 && some > of / 2)
    .map(({ label, inside: [some, of], outside: [others, rest] }) => ({ name: cause.name, label, words: `${some} of ${of} trials ${endedWords(ending.outcome, some)}, with other values ${others} of ${rest}` }))));
}

function causeRows(cause) {
  const rate = ([some, of]) => (of ? `${whole(some)} of ${whole(of)} (${percent(some / of)})` : "–");
  if (!cause.values.length) return [[nameTag(cause.name), element("span", { class: "aside" }, "none stand out"), "", "", cause.p === null ? "" : shortP(cause.p)]];
  return cause.values.map((value) => [nameTag(cause.name), element("strong", { class: "cause" }, cut(value.label, 48)), rate(value.inside), rate(value.outside), cause.p === null ? "" : shortP(cause.p)]);
}

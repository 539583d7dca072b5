// What makes trials slow, compared with what makes them good.
const MOST_COST = 12;
const slowCauses = () => data.cost.parameters.filter((cause) => cause.verdict === "matters");

function costGist() {
  if (!data.cost || data.cost.reason) return null;
  const names = slowCauses().map((cause) => cause.name);
  return names.length ? listedText(names, 3) : "no parameter has a statistically significant effect on the time";
}

function drawCost() {
  const { parameters: found, size, of } = data.cost;
  const shown = found.filter((cause) => cause.importance >= 0.005 || cause.verdict === "matters").slice(0, MOST_COST);
  const own = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const rows = shown.map((cause) => {
    const parameter = own.get(cause.name), good = parameter ? importanceOf(parameter) : 0;
    return [nameTag(cause.name), bar(cause.importance, 1, cause.verdict), verdictTag(cause.verdict),
      bar(good, 1, parameter ? verdictOf(parameter) : "not testable"), parameter ? verdictTag(verdictOf(parameter)) : ""];
  });
  const values = slowCauses().flatMap((cause) => cause.values.map((value) => element("li", {}, nameTag(cause.name), " ",
    element("strong", { class: "cause" }, cut(value.label, 48)), `: median ${seconds(value.inside)} instead of ${seconds(value.outside)}`)));
  const taken = data.summary?.durations, typical = taken ? `A typical trial takes ${seconds(taken.median)}, the longest took ${seconds(taken.longest)}. ` : "";
  refill("cost-list", agePart("Importance for the time, and verdicts"),
    element("p", { class: "hint" }, `${typical}Time: importance for being among the slowest ${whole(size)} of ${count(of, "trial")}. Objective: importance for reaching ${targetName()}. To save time, start with a parameter that matters for the time but shows no evidence of an effect on the objective.`),
    element("div", { class: "pair-bars" }, table("Importance for time and for the objective", ["Parameter", "Time", "", "Objective", ""], rows)),
    values.length ? element("ul", { class: "leave" }, values) : null,
    found.length > shown.length ? element("p", { class: "aside" }, `${count(found.length - shown.length, "other parameter")} with almost no importance for the time.`) : null);
}

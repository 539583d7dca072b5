// How many more trials would settle what is open, if that has been forecast.
const forecasts = () => data.forecast?.parameters || [];
const forecastOf = (parameter) => forecasts().find((one) => one.parameter === parameter.name) || null;

// "about 120 more trials (40 to 300)"
function forecastWords({ outlook, settled_at: since, more_trials: more, more_low: low, more_high: high }) {
  if (outlook === "settled") return since === null ? "settled" : `settled since trial ${whole(since)}`;
  if (outlook === "unlikely") return "no number of trials of this kind is likely to settle it";
  if (outlook === "not testable") return "not testable";
  if (low === null) return "too early to say";
  if (more === null) return `at least ${whole(low)} more trials, if ever`;
  return `about ${whole(more)} more trials (${whole(low)} ${high === null ? "or more" : `to ${whole(high)}`})`;
}

// Since which trial a parameter matters, if known: for the target set of the forecast.
function sinceWords(parameter) {
  const since = forecastOf(parameter)?.settled_at;
  return since && state.step === data.start && verdictOf(parameter) === "matters" ? `since trial ${whole(since)}` : "";
}

// For the answer: the sentence, and the open parameters with their numbers.
function forecastRow() {
  const found = data.forecast;
  if (!found || !found.message) return null;
  const open = forecasts().filter(({ outlook, more_low: low }) => outlook === "open" && low !== null);
  // Those that need the fewest trials first, as in the sentence; then those most likely to be settled at all.
  const more = (one) => one.more_trials ?? Number.MAX_SAFE_INTEGER;
  open.sort((a, b) => more(a) - more(b) || (b.chance || 0) - (a.chance || 0));
  const stays = forecasts().filter(({ outlook }) => outlook === "unlikely").map(({ parameter }) => parameter);
  const about = data.steps ? ` For ${targetName(data.start)}; the slider does not change it.` : "";
  const stale = found.finished < finishedTrials() ? ` As of trial ${whole(found.finished)}.` : "";
  return [element("div", {}, found.message, element("span", { class: "aside" }, about, stale)),
    open.length > 1 ? element("ul", { class: "outlook" }, open.slice(0, 5).map((one) => element("li", {}, nameTag(one.parameter), ` ${forecastWords(one)}`))) : null,
    open.length > 5 ? element("p", { class: "aside" }, `and ${open.length - 5} more, in the cards below`) : null,
    stays.length ? element("p", { class: "aside" }, "No number of trials of this kind is likely to show an effect of ", ...listed(stays, 4), ".") : null];
}

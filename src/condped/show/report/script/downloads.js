// The numbers as files, made from the data of this page.
const HEADER = ["parameter", "method", "target_quantile", "target_trials", "importance", "importance_low",
  "importance_high", "joint_low", "joint_high", "eta_squared", "p_value", "adjusted_p_value", "verdict", "reason", "determined", "unattributed", "note"];

function importanceRow(parameter, method, step) {
  return [parameter.name, method, data.steps ? data.steps[step] : "", data.sizes[step], parameter.importance[method][step],
    ...["low", "high", "joint_low", "joint_high"].map((end) => parameter[end]?.[method]?.[step]), parameter.eta[method][step],
    parameter.p[step], parameter.adjusted[step], VERDICTS[parameter.verdict[step]], verdictReason(parameter, step), !data.reasons[method][step],
    data.unattributed[method][step],
    [tieAt(step)?.message, parameter.eta[method][step] >= 1.0005 ? OVER_WORDS : ""].filter(Boolean).join(" ")];
}

const nowCsv = () => csv(HEADER, ranked().map((parameter) => importanceRow(parameter, state.method, state.step)));
const allCsv = () => csv(HEADER, data.methods.flatMap((method) => data.sizes.flatMap((_, step) =>
  parameters.map((parameter) => importanceRow(parameter, method, step)))));

function regimesCsv() {
  const header = ["parameter", "regime", "target_quantile", "cell", "choice", "target_trials", "region_trials"];
  const step = state.step;
  return csv(header, parameters.flatMap((parameter) => parameter.regimes.flatMap((regime) => {
    const target = targetCounts(regime);
    return regionCounts(regime).map((region, cell) => [parameter.name, regime.domain ? regime.label : "absent",
      data.steps ? data.steps[step] : "", cell, regime.domain?.choices?.[cell], target[cell], region]);
  })));
}

function drawDownloads() {
  const files = [
    ["Importances as shown", "importance.csv", nowCsv, "text/csv"],
    ["Importances at all steps, all methods", "importance-all.csv", allCsv, "text/csv"],
    ["Trials per regime and cell, as shown", "regimes.csv", regimesCsv, "text/csv"],
    ["Everything on this page", "report.json", () => (state.updates ? JSON.stringify(data) : byId("data").textContent), "application/json"],
  ];
  fill("downloads", fileList(files));
}

// Each parameter over all studies, and a forest plot of the studies when its card opens.
const cardBoxes = new Map();

function cardOf(parameter) {
  if (!cardBoxes.has(parameter)) cardBoxes.set(parameter, newCard(parameter));
  return cardBoxes.get(parameter);
}

function agreementTag(parameter) {
  const p = parameter.adjusted_p === null ? "" : ` (${pWords(parameter.adjusted_p)})`;
  const words = { differs: `studies differ${p}`, unclear: `unclear whether studies differ${p}`, "no evidence": `no difference found${p}`, "not testable": "difference not testable" };
  return element("span", { class: `agreement ${parameter.agreement === "differs" ? "apart" : "aside"}`, title: "Whether studies lie further apart than chance explains; p is adjusted for all parameters" },
    words[parameter.agreement]);
}

function newCard(parameter) {
  const body = element("div", { class: "body" });
  const box = element("details", { class: "card", id: `p${parameter.place}` },
    element("summary", {}, element("span", { class: "name", title: parameter.name }, breakable(parameter.name, 40)),
      bar(parameter.importance, meanEnd(), parameter.matters_in ? "matters" : "no evidence", parameter.low, parameter.high),
      element("span", { class: "card-number" }, share(parameter.importance), element("span", { class: "interval" }, `${share(parameter.low)}–${share(parameter.high)}`)),
      element("span", { class: "matters-in" }, `matters in ${parameter.matters_in} of ${parameter.studies}`), agreementTag(parameter)), body);
  box.addEventListener("toggle", () => { if (box.open) drawForest(parameter, body, false); });
  return box;
}

function drawCards() {
  const shown = visible(), rest = parameters.length - shown.length;
  byId("cards").replaceChildren(...shown.map(cardOf));
  byId("find").hidden = parameters.length <= MOST;
  if (state.filter.trim()) fill("cards-more", `${count(shown.length, "parameter")} found.`);
  else if (parameters.length > MOST) {
    fill("cards-more", element("button", { type: "button", onclick: () => { state.all = !state.all; drawCards(); drawMap(); byId("cards-more").querySelector("button").focus(); } },
      state.all ? "Show fewer" : `Show all ${parameters.length}`), state.all ? "" : ` ${rest} more, none above ${share(parameters[MOST].importance)}.`);
  } else fill("cards-more");
  redrawForests();
}

function redrawForests() {
  for (const [parameter, box] of cardBoxes) if (box.open) drawForest(parameter, box.querySelector(".body"), box.dataset.all === "yes");
}

function drawForest(parameter, body, all) {
  const have = sortedBy(studies, (study) => importanceIn(parameter, study)).filter((study) => cellOf(parameter, study)?.determined);
  const odd = have.filter((study) => cellOf(parameter, study).odd);
  const shown = all || have.length <= MOST_FOREST ? have : [...new Set([...odd, ...have])].slice(0, MOST_FOREST);
  const holder = element("div");
  body.replaceChildren(holder); // as wide as a picture in it may be
  const parts = [forest(parameter, shown, Math.min(860, holder.clientWidth || 700))];
  if (shown.length < have.length || all) parts.push(element("p", { class: "aside" }, element("button", { type: "button",
    onclick: () => { body.parentElement.dataset.all = all ? "" : "yes"; drawForest(parameter, body, !all); } }, all ? "Show fewer" : `Show all ${have.length} studies`)));
  const missing = studies.length - have.length;
  if (missing) parts.push(element("p", { class: "aside" }, `${count(missing, "study").replace("studys", "studies")} without it, or without a conclusion.`));
  if (parameter.domains.length) parts.push(element("p", { class: "mind" }, `Its domain is not the same in all studies: ${parameter.domains.slice(0, 4).map((label) => cut(label, 40)).join("; ")}${parameter.domains.length > 4 ? ` and ${parameter.domains.length - 4} more` : ""}.`));
  body.replaceChildren(...parts);
}

function forest(parameter, shown, width) {
  const narrow = width < 520; // then words go below each line rather than beside it
  const high = narrow ? 38 : 20, top = 6, letters = Math.min(narrow ? 14 : 26, Math.max(5, ...shown.map((study) => [...study.name].length)));
  const left = 7 * letters + 14, right = narrow ? 12 : 220, room = Math.max(80, width - left - right);
  const cells = shown.map((study) => cellOf(parameter, study));
  const end = Math.max(0.05, parameter.high, ...cells.map((cell) => cell.high ?? cell.importance));
  const scale = (value) => left + room * Math.max(0, Math.min(1, value / end)), bottom = top + high * (shown.length + 1) + 6;
  const parts = [drawn("rect", { class: "together-band", x: scale(parameter.low), width: Math.max(1, scale(parameter.high) - scale(parameter.low)), y: top, height: bottom - top })];
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((one) => end / one <= 5) || 0.5;
  for (let value = 0; value <= end + 1e-9; value += step) {
    parts.push(drawn("line", { class: "grid", x1: scale(value), x2: scale(value), y1: top, y2: bottom }), drawn("text", { x: scale(value), y: bottom + 15, "text-anchor": "middle" }, String(+value.toFixed(2))));
  }
  parts.push(drawn("line", { class: "middle", x1: scale(parameter.importance), x2: scale(parameter.importance), y1: top, y2: bottom }));
  const beside = (y, words) => (narrow ? drawn("text", { x: left, y: y + 18 }, cut(words, Math.floor((width - left) / 6.4))) : drawn("text", { x: left + room + 12, y: y + 4 }, words));
  shown.forEach((study, row) => {
    const cell = cells[row], y = top + high * row + 10, mark = cell.odd ? " odd" : "";
    parts.push(drawn("text", { class: cell.odd ? "label odd-label" : "label", x: left - 10, y: y + 4, "text-anchor": "end" }, cut(study.name, letters), drawn("title", {}, cellWords(parameter, study).join(": "))));
    if (cell.low !== null) parts.push(drawn("line", { class: `line${mark}`, x1: scale(cell.low), x2: scale(cell.high), y1: y, y2: y }));
    parts.push(drawn("circle", { class: `point ${classOf(cell.verdict)}${mark}`, cx: scale(cell.importance), cy: y, r: 4.5 }, drawn("title", {}, cellWords(parameter, study).join(": "))));
    parts.push(beside(y, `${share(cell.importance)} ${cell.odd ? "odd" : cell.good.length ? `good: ${cut(cell.good.join("; "), 22)}` : cell.verdict}`));
  });
  const y = top + high * shown.length + 13;
  parts.push(drawn("text", { class: "label", x: left - 10, y: y + 4, "text-anchor": "end" }, "mean"),
    drawn("line", { class: "whisker", x1: scale(parameter.low), x2: scale(parameter.high), y1: y, y2: y }),
    drawn("path", { class: parameter.agreement === "differs" ? "mean apart" : "mean", d: `M${scale(parameter.importance)} ${y - 7}l7 7l-7 7l-7 -7z` }));
  parts.push(beside(y, `${share(parameter.importance)} (${share(parameter.low)}–${share(parameter.high)})`));
  return drawn("svg", { class: "forest", width, height: bottom + 22, role: "img", "aria-label": `Importance of ${parameter.name} in each study, with intervals` }, parts);
}

// A card for each parameter, filled when it is opened.
const cards = new Map();

function card(parameter) {
  if (!cards.has(parameter)) cards.set(parameter, newCard(parameter));
  const { box, good, number, tag } = cards.get(parameter);
  box.id = `p${parameter.place}`;
  const texts = goodTexts(parameter).map((text) => text.labels.join(" or ")).join("; ");
  setText(good, texts ? `${ENRICHED.card} ${cut(texts, 48)}` : "");
  setText(number, importanceText(importanceOf(parameter), verdictOf(parameter)));
  setVerdict(tag, verdictOf(parameter), verdictReason(parameter));
  if (box.open) fillCard(parameter);
  return box;
}

function newCard(parameter) {
  const parts = { good: element("span", { class: "card-good" }), number: element("span", { class: "card-number" }),
    tag: verdictTag("not testable"), body: element("div", { class: "body" }) };
  const name = element("span", { class: "card-name name", title: parameter.name }, breakable(parameter.name, 48));
  const head = element("summary", {}, name, parts.good, parts.number, parts.tag);
  const box = element("details", { class: "card", ontoggle: () => { if (box.open) fillCard(parameter); } }, head, parts.body);
  return { box, head, ...parts };
}

function drawCards() {
  const shown = visible();
  if (!byId("cards").firstChild) {
    fill("cards", element("div", { id: "card-list" }), element("p", { id: "cards-more" }));
  }
  putInOrder(byId("card-list"), shown.map(card));
  drawMore("cards-more", parameters.length - shown.length);
}

function openCard(parameter) {
  if (!visible().includes(parameter)) { state.all = true; draw(); }
  openFold("parameters");
  const { box, head } = cards.get(parameter);
  box.open = true;
  fillCard(parameter);
  box.scrollIntoView({ block: "start" });
  head.focus();
}

// What stays in a card while the slider moves and the data change: a box for each regime, with its slices.
function frameOf(parameter, width) {
  const own = cards.get(parameter), present = parameter.regimes.filter((regime) => regime.domain);
  const key = [width, ...present.map((regime) => regime.label)].join("\n");
  if (own.frame?.key !== key) {
    const boxes = present.map(() => ({ moving: element("div"), slices: element("div") }));
    own.frame = { key, boxes, top: element("div"), bottom: element("div") };
    own.body.replaceChildren(own.frame.top, ...boxes.map(({ moving, slices }) => element("div", { class: "regime" }, moving, slices)), own.frame.bottom);
  }
  if (own.frame.updates !== state.updates) {
    present.forEach((regime, place) => own.frame.boxes[place].slices.replaceChildren(...sliceParts(parameter, regime, width)));
    own.frame.updates = state.updates;
  }
  return { present, ...own.frame };
}

function fillCard(parameter) {
  const { body } = cards.get(parameter);
  const methods = data.methods, choice = reasonNow() ? null : choiceOf(parameter);
  const facts = [
    ...methods.map((method) => [methods.length > 1 ? `Importance, ${method}${method === "calibrated" ? asOf(", ") : ""}` : "Importance",
      share(parameter.importance[method][state.step])]),
    ...(parameter.low?.[state.method] ? [[`${percent(data.level)} interval`,
      `${share(parameter.low[state.method][state.step])}–${share(parameter.high[state.method][state.step])}`]] : []),
    ["η²", etaText(etaOf(parameter), verdictOf(parameter))],
    ...(choice && choice.between !== null ? [["η² between branches", share(choice.between)]] : []),
    ...(forecastOf(parameter) ? [[`Enough trials${state.step === data.start ? "" : `, for ${targetName(data.start)}`}?`, forecastWords(forecastOf(parameter))]] : []),
    [`p-value${asOf(", ")}`, shortP(parameter.p[state.step])],
    [`adjusted, ${count(parameters.filter((other) => other.p[state.step] !== null).length, "test")}`, shortP(parameter.adjusted[state.step])],
  ];
  const list = element("dl", { class: "numbers" }, facts.map(([label, value]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value))));
  const width = Math.min(560, Math.max(240, body.clientWidth - 2));
  const { present, boxes, top, bottom } = frameOf(parameter, width);
  present.forEach((regime, place) => {
    patch(boxes[place].moving, ...regimePart(parameter, regime, present.length > 1, width));
    markSlices(regime, width);
  });
  const absent = parameter.regimes.find((regime) => !regime.domain);
  const dropped = parameter.dropped ? element("p", { class: "aside" },
    `${count(parameter.dropped[0], "regime")} with a single trial each left out.`) : null;
  const key = present.length ? element("p", { class: "key-line" },
    element("span", { class: "key-target", "aria-hidden": "true" }), `${targetName().replace(/^t/, "T")}  `,
    element("span", { class: "key-region", "aria-hidden": "true" }), "All trials  ",
    ...(goodTexts(parameter).length ? [element("span", { class: "key-good", "aria-hidden": "true" }), ENRICHED.title] : [])) : null;
  patch(top, verdictWords(parameter), list, key);
  patch(bottom, absentPart(absent), dropped);
}

function verdictWords(parameter) {
  const words = {
    matters: "Statistically significant, allowing for the number of parameters: at most one in ten of those that matter is expected to be a false alarm.",
    unclear: "Unclear: there may be an effect, but counting it as one would allow too many false alarms.",
    "no evidence": "No evidence of an effect: chance alone gives as much in more than one case in ten.",
    "not testable": "Not testable.",
    "not tested yet": "Not tested yet.",
  };
  const reason = verdictReason(parameter), choice = reasonNow() ? null : choiceOf(parameter);
  const over = etaText(etaOf(parameter), verdictOf(parameter)) === OVER ? ` ${OVER_WORDS}` : "";
  const why = reason ? ` ${reason[0].toUpperCase()}${reason.slice(1).replace(/\.$/, "")}.` : "";
  const age = verdictOf(parameter) === "not tested yet" ? "" : asOf("", ": ");
  const first = words[verdictOf(parameter)], said = age ? `${age[0].toUpperCase()}${age.slice(1)}${first[0].toLowerCase()}${first.slice(1)}` : first;
  return element("p", {}, said, why, choice ? ` ${choiceSentence(choice)}` : "", over);
}

function regimePart(parameter, regime, several, width) {
  const target = sum(targetCounts(regime)), region = sum(regionCounts(regime));
  const part = regime.part?.[state.method][state.step];
  const p = regime.p && regime.p[state.step] !== null ? `, ${pWords(regime.p[state.step])}` : "";
  const shares = `${percent(target / Math.max(1, data.sizes[state.step]))} of ${targetName()}, ${percent(region / Math.max(1, data.region))} of all trials`;
  const gives = several ? `; ${percent(part || 0)} of this parameter's importance${p}` : "";
  const good = goodOf(regime).map((one) => {
    const [targetHere, regionHere] = one.of, kept = one.target / targetHere, covered = one.region / regionHere;
    return element("p", { class: "good-words" }, element("strong", {}, one.label),
      ` holds ${percent(kept)} of the target trials here and ${percent(covered)} of all here${asOf(", ")}: ${(kept / covered).toFixed(1)} times denser.`);
  });
  return [
    element("h3", {}, element("span", { class: "domain", title: regime.label }, cut(regime.label, 60)), regime.condition ? ` where ${cut(regime.condition, 80)}` : ""),
    element("p", { class: "aside" }, shares, gives),
    densityChart(parameter, regime, width), ...good, ...(contrastOf(regime) ? contrastSentence(contrastOf(regime)) : [])];
}

function absentPart(regime) {
  if (!regime) return null;
  const target = sum(targetCounts(regime)), region = sum(regionCounts(regime));
  const reached = regime.effect?.bins[0];
  const medians = reached ? data.objectives.map(([name], place) => `; median ${cut(name, 24)} ${inUnits(reached[1 + place][0])}, best ${inUnits(reached[1 + place][3])}`).join("") : "";
  return element("p", { class: "aside" }, element("strong", {}, "Absent"),
    ` in ${percent(region / Math.max(1, data.region))} of all trials and ${percent(target / Math.max(1, data.sizes[state.step]))} of ${targetName()}${medians}.`);
}

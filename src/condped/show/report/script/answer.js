// The answer in plain words.
function drawQuestion() {
  const question = data.outcome
    ? `What led to ${(OUTCOMES[data.outcome] || ["the target set"])[0]}?`
    : `What mattered for reaching ${targetName()}?`;
  setText(byId("question"), question);
  drawTie();
  const inside = data.region_quantile < 1 ? `, within the best ${percent(data.region_quantile)}` : "";
  const goal = data.outcome ? "" : `, ${data.texts.goal}${inside}`;
  const part = data.account.selections.map(({ condition }) => `, only where ${condition}`).join("");
  refill("goal", `${data.account.trials.total ? `${whole(data.used)} of ${count(data.account.trials.total, "trial")}` : "no trials yet"}${goal}${part}`);
  setText(byId("source"), data.title);
  byId("index").hidden = !data.index;
  if (data.index) byId("index").href = data.index;
}

// Before any number: that the objective does not separate as many trials as requested.
function drawTie() {
  const tie = tieAt(), box = byId("tie");
  box.hidden = !tie;
  if (tie) setText(byId("tie"), tie.message);
}

// Gates, the most decisive one first.
function choiceRows() {
  const telling = (parameter, choice) => choice && (choice.between === null || choice.between >= 0.02 || verdictOf(parameter) === "matters");
  const found = ranked().map((parameter) => [parameter, choiceOf(parameter)]).filter(([parameter, choice]) => telling(parameter, choice));
  found.sort(([, a], [, b]) => (b.between || 0) - (a.between || 0));
  return found.slice(0, 3).map(([parameter, choice]) => ({ name: parameter.name, row: element("div", {}, nameTag(parameter.name), ": ",
    element("strong", {}, cut(choice.label, 40)), ` has ${choice.here === choice.size ? `all ${whole(choice.size)}` : `${whole(choice.here)} of ${whole(choice.size)}`} target trials`,
    element("span", { class: "aside" }, ` and ${percent(choice.share)} of ${choice.always ? "all trials" : "the trials where it is active"}. `), bestElsewhere(parameter, choice)) }));
}

// A warning if the best trial of all is not in the branch of most good ones.
function bestElsewhere(parameter, choice) {
  const best = single() && data.summary?.best[0], own = best && best.parameters.find(([name]) => name === parameter.name);
  const plain = (label) => label.replaceAll("'", "");
  const listed = parameter.regimes.some((regime) => regime.domain?.choices?.includes(choice.label));
  return own && listed && plain(own[1]) !== plain(choice.label) ? element("strong", {}, `But the best trial has ${cut(own[1], 32)}.`) : null;
}

function drawAnswer() {
  const found = { matters: [], unclear: [], "no evidence": [], "not testable": [], "not tested yet": [] };
  ranked().forEach((parameter) => found[verdictOf(parameter)].push(parameter));
  const gating = reasonNow() ? [] : choiceRows(), choices = gating.map(({ row }) => row), progress = progressRows(), next = nextRows();
  const rows = [];
  const cautions = data.account.cautions;
  if (cautions.length) rows.push(["Caution", cautions.map((note) => element("div", { class: "mind" }, note))]);
  if (choices.length) rows.push(["Choice of the branch", choices]);
  if (found.matters.length) rows.push([ENRICHED.title, goodRows(found.matters, new Set(gating.map(({ name }) => name)))]);
  if (progress.length) rows.push(["So far", progress]);
  const enough = forecastRow();
  if (enough) rows.push(["Enough trials?", enough]);
  if (next) rows.push(["Next step", next]);
  const facts = (some) => element("dl", { class: "facts" }, some.map(([label, content]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, content))));
  refill("answer-text", element("p", { class: "lead" }, lead(found.matters)), ageLine(), rows.length ? facts(rows) : null, waitingForTrials() ? null : restOf(found, facts));
}

// How old the verdicts are, if the numbers are newer.
function ageLine() {
  if (verdictsAge() === null) return null;
  return element("p", { class: "aside age-line" }, `Numbers from ${count(finishedTrials(), "trial")}; verdicts and everything based on them (${data.outcome ? "values that lead to it" : "good values"}, advice) ${asOf()}.`);
}
const agePart = (what = "") => (verdictsAge() === null ? null : element("p", { class: "aside" }, what ? `${what}: ${asOf()}.` : `${asOf().replace(/^a/, "A")}.`));

// What does not matter and what was left out, in a line that can be opened.
function restOf(found, facts) {
  const rows = [];
  const names = (kind) => listed(found[kind].map((parameter) => parameter.name));
  if (found.unclear.length) rows.push(["Unclear", names("unclear")]);
  if (found["no evidence"].length) rows.push(["No evidence of an effect", names("no evidence")]);
  if (found["not testable"].length) {
    const reasons = [...new Set(found["not testable"].map(verdictReason).filter(Boolean))];
    rows.push(["Not testable", [...names("not testable"), element("span", { class: "aside" }, ` (${reasons.slice(0, 3).join("; ")})`)]]);
  }
  if (found["not tested yet"].length && !untested()) rows.push(["Not tested yet", names("not tested yet")]);
  const { trials } = data.account, out = trials.total - trials.used;
  const parts = [["unclear", "unclear"], ["no evidence", "no evidence of an effect"], ["not testable", "not testable"], ...(untested() ? [] : [["not tested yet", "not tested yet"]])]
    .filter(([kind]) => found[kind].length).map(([kind, words]) => `${words}: ${listedText(found[kind].map((parameter) => parameter.name), 2)}`);
  parts.push(out ? `${count(out, "trial")} left out` : "no trial left out");
  return element("details", { class: "rest", open: restOf.open, ontoggle: (event) => { restOf.open = event.currentTarget.open; } }, element("summary", {}, `Also: ${parts.join("; ")}`), facts([...rows, ["Left out", leftOut()]]));
}

// The first thing to do, if anything.
function nextRows() {
  if (!data.advice) return null;
  const changes = adviceChanges(), more = changes.length - 1;
  const link = foldLink("next", more > 0 ? `${count(more, "more change")}, code and risk` : changes.length ? "Code and risk" : "Why");
  const finer = data.summary?.best.some((best) => best.coarse) ? [element("strong", {}, "Measure more finely"), ", as too many trials share the best value. "] : [];
  const [avoid] = valuesToAvoid();
  if (avoid) finer.push(element("strong", {}, "Avoid "), nameTag(avoid.name), ` ${cut(avoid.label, 40)}: ${avoid.words}. `);
  if (!changes.length) return [...finer, element("strong", {}, finer.length ? "Leave the search space as it is: " : "Change nothing: "), `${data.advice.why_nothing} `, link];
  const other = state.step === data.start ? "" : ` (advice for ${targetName(data.start)})`;
  return [...finer, ...stepWords(changes[0]), `${other}. `, link];
}

const WAITING = "Waiting for the first trial to finish.";
const waitingForTrials = () => Boolean(data.live) && !finishedTrials();

function lead(matters) {
  const reason = reasonNow();
  const size = data.sizes[state.step];
  const sizes = `${whole(size)} of ${count(data.region, "trial")} ${size === 1 ? "is" : "are"} in the target set`;
  if (reason && waitingForTrials()) return [WAITING];
  if (reason && !matters.length) {
    return [element("strong", {}, "No conclusion is possible here: "), reason];
  }
  if (untested()) return leadUntested();
  if (!matters.length) {
    const best = [...parameters].filter((parameter) => parameter.p[state.step] !== null)
      .sort((a, b) => a.p[state.step] - b.p[state.step])[0];
    const adjusted = best && `${pWords(best.adjusted[state.step])}${parameters.length === 1 ? "" : " when adjusted"}`;
    const nearest = best && parameters.length === 1 ? [`, ${adjusted}`] : best ? ["; ", nameTag(best.name), ` comes nearest, ${adjusted}`] : [];
    return [element("strong", {}, "Not enough evidence. "),
      ...(parameters.length === 1 ? ["The only parameter, ", nameTag(parameters[0].name), ", has no statistically significant effect"] : [`None of ${count(parameters.length, "parameter")} has a statistically significant effect`]),
      ` (${sizes}`, ...nearest,
      data.steps && state.step < data.steps.length - 1 ? "). Gather more trials, or look at a larger target set." : "). Gather more trials.",
      data.remedy ? ` ${data.remedy}` : ""];
  }
  const shown = matters.slice(0, 5);
  const parts = shown.flatMap((parameter, place) => {
    const last = place === shown.length - 1 && matters.length <= 5;
    const between = place === 0 ? "" : last ? " and " : ", ";
    return [between, nameTag(parameter.name), ` (${roughShare(importanceOf(parameter), matters.length)}${onlyWhere(parameter)})`];
  });
  if (matters.length > 5) parts.push(` and ${count(matters.length - 5, "other")}`);
  const verb = matters.length === 1 ? " matters" : " matter";
  const all = matters.length === parameters.length;
  const of = all ? "" : `Of ${count(parameters.length, "parameter")}, `;
  return [of, ...parts, verb, ` for ${data.outcome ? (OUTCOMES[data.outcome] || ["being in the target set"])[0] : `reaching ${targetName()}`}.`];
}

// Before the first verdicts: numbers, with a warning that they may be due to chance.
function leadUntested() {
  const first = ranked().slice(0, 3).filter((parameter) => importanceOf(parameter) >= 0.005);
  const shown = first.flatMap((parameter, place) => [place === 0 ? "" : place === first.length - 1 ? " and " : ", ", nameTag(parameter.name), ` (${roughShare(importanceOf(parameter), first.length)})`]);
  return [element("strong", {}, "Not tested yet. "), ...(shown.length ? [...shown, ` ${first.length === 1 ? "has" : "have"} the highest importance so far, which may be due to chance.`] : [`${count(data.used, "trial")} so far.`])];
}

// Where a parameter is active, if not always.
function onlyWhere(parameter) {
  const present = parameter.regimes.filter((regime) => regime.domain);
  const where = present.length === 1 && sometimes(parameter) ? present[0].condition : null;
  return where && where.length <= 40 ? `, where ${where}` : "";
}

// Not 0 % for what matters, and not 100 % if others matter, too.
function roughShare(value, of) {
  if (value < 0.005) return "<\u00a01\u00a0%";
  return value >= 0.995 && of > 1 ? ">\u00a099\u00a0%" : percent(value);
}

// The good values of a parameter, by regime.
function goodTexts(parameter) {
  const present = parameter.regimes.filter((regime) => regime.domain);
  return present.filter((regime) => goodOf(regime).length).map((regime) => ({
    regime, labels: goodOf(regime).map((good) => good.label), where: present.length > 1 ? ` ${regimeWhere(regime)}` : "",
    target: sum(goodOf(regime).map((good) => good.target)), region: sum(goodOf(regime).map((good) => good.region)),
    base: goodOf(regime)[0].of, // the target and region trials of the regime, as of the verdicts
  }));
}

// Whether trials lack the parameter, or were left out of its regimes.
const sometimes = (parameter) => Boolean(parameter.dropped) || parameter.regimes.some((regime) => !regime.domain);

const MOST_GOOD = 5;
const remark = (...words) => element("li", { class: "aside remark" }, words);

function goodRows(matters, choosing) {
  const rows = [];
  const silent = [];
  for (const parameter of matters) {
    const texts = goodTexts(parameter);
    if (!texts.length) silent.push(parameter.name);
    for (const { regime, labels, where, target, region, base: [of, all] } of texts.slice(0, 3)) {
      const covered = region / all;
      const there = where || sometimes(parameter) ? " there" : "";
      const kept = target === of ? `all ${whole(of)}` : `${whole(target)} of ${whole(of)}`;
      const contrast = contrastOf(regime);
      const values = labels.flatMap((label, place) => [place ? " or " : "", element("strong", {}, cut(label, 60))]);
      rows.push(element("li", {}, nameTag(parameter.name),
        element("span", {}, values, where, contrast ? [": ", ...contrastWords(contrast)] : null,
          element("span", { class: "aside" },
            ` ${kept} target trials${there}, ${percent(covered)} of ${there ? "the trials there" : "all trials"}${actsWith(parameter)}`))));
    }
  }
  const entries = rows.slice(0, MOST_GOOD);
  if (rows.length > MOST_GOOD) entries.push(remark(`and ${rows.length - MOST_GOOD} more, in the cards below`));
  const others = silent.filter((name) => !choosing.has(name));
  if (others.length) entries.push(remark("no values stand out for ", ...listed(others, 4)));
  return element("ul", { class: "good-list" }, entries);
}

// The parameters that it acts together with; its own values may then seem no better than others.
function actsWith(parameter) {
  const others = data.pairs ? matteringPairs().filter(({ names }) => names.includes(parameter.name)).map(({ names }) => names.find((name) => name !== parameter.name)) : [];
  return others.length ? `; acts together with ${listedText(others, 2)}` : "";
}

function leftOut() {
  const { trials, handling, selections } = data.account, { lines } = data.texts;
  const fates = { drop: "left out", worst: "counted as worst", keep: "counted like others" };
  const parts = [["running", "still running", "drop"], ["failed", "failed", handling.failed],
    ["pruned", "pruned", handling.pruned],
    ["nonfinite", "without a finite objective", handling.nonfinite],
    ["infeasible", "infeasible", handling.infeasible]]
    .filter(([kind]) => trials[kind])
    .map(([kind, words, fate]) => `${whole(trials[kind])} ${words}${data.outcome ? "" : ` (${fates[fate]})`}`);
  for (const { condition, total, left_out: others } of selections) {
    if (others) parts.push(`${whole(others)} of ${whole(total)} not analysed (only where ${cut(condition, 160)})`);
  }
  const kept = parts.length ? parts.join(", ")
    : !trials.total ? "nothing: there are no trials"
    : trials.total === 1 && trials.used ? "nothing: the only trial was used"
    : trials.used === trials.total ? `nothing: all ${count(trials.used, "trial")} were used`
      : `${whole(trials.total - trials.used)} of ${count(trials.total, "trial")}`;
  const link = lines.length ? [" · ", foldLink("trials", count(lines.length, "note"))] : [];
  return [kept, ...link];
}

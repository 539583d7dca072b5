"use strict";
// The studies of one or more sources, and how far each has come.
const data = JSON.parse(document.getElementById("data").textContent);
const MOST = 20; // studies that are listed without a search field

const finishedOf = (row) => row.trials - row.running;
const stateOf = (row) => (row.problem ? "unreachable" : row.running ? "running" : row.trials ? "idle" : "no trials yet");
// As recorded, to the minute.
const timeOf = (text) => (text ? text.replace("T", " ").slice(0, 16) : "–");

function endedWords({ complete, pruned, failed }) {
  const parts = [[complete, "complete"], [pruned, "pruned"], [failed, "failed"]].filter(([number]) => number);
  return parts.length > 1 || parts.some(([, kind]) => kind !== "complete") ? parts.map(([number, kind]) => `${whole(number)} ${kind}`).join(", ") : "";
}

function bestWords({ best, objectives, directions }) {
  const goals = objectives.map((name, place) => `${directions[place] === "maximize" ? "highest" : "lowest"} ${cut(name, 24)}`).join(", ");
  if (best === null || best === undefined) return ["–", objectives.length > 1 ? element("span", { class: "aside", title: goals }, ` ${objectives.length} objectives`) : null];
  return [element("strong", {}, bestValue(best)), element("span", { class: "aside" }, ` ${goals}`)];
}

function studyRow(row) {
  const name = row.link ? element("a", { class: "name", href: row.link }, breakable(row.study, 60)) : nameTag(row.study);
  const state = stateOf(row);
  return [name, element("span", { class: "state", "data-state": state, title: row.problem || null }, state, row.problem ? element("span", { class: "aside" }, ` ${cut(row.problem, 160)}`) : null),
    element("span", {}, whole(finishedOf(row)), row.running ? element("span", { class: "aside" }, `, ${whole(row.running)} running`) : null, element("span", { class: "aside ended" }, endedWords(row))),
    element("span", {}, bestWords(row)), timeOf(row.last_finished)];
}

function drawList() {
  const search = byId("filter").value.trim().toLowerCase(), busy = data.rows.filter((row) => row.running).length;
  const shown = data.rows.filter((row) => row.study.toLowerCase().includes(search));
  byId("find").hidden = data.rows.length <= MOST;
  setText(byId("goal"), `${count(data.rows.length, "study").replace("studys", "studies")}, ${busy ? `${whole(busy)} with running trials` : "none running"}`);
  refill("list", shown.length ? element("div", { class: "studies" }, table("Studies", ["Study", "State", "Finished trials", "Best", "Last finished"], shown.map(studyRow)))
    : element("p", {}, data.rows.length ? "No study matches this name." : "There are no studies yet."));
}

function drawConnection(link) {
  const words = { lost: "Connection lost", refused: "Refused" }[link] || "Live";
  byId("live").dataset.state = link || "live";
  setText(byId("live-state"), words);
  setText(byId("live-said"), words);
}

function start() {
  byId("main").hidden = false;
  setUpTheme();
  byId("filter").addEventListener("input", drawList);
  setText(byId("question"), data.title);
  fill("footer", element("p", {}, `Made by condped ${data.versions.condped}.${data.live ? " This page updates itself while its server runs." : " This page is one file and works offline."}`));
  drawList();
  if (!data.live) return;
  byId("live").hidden = false;
  drawConnection("");
  connect(data.live, { studies: ({ rows }) => { data.rows = rows; drawList(); } }, drawConnection);
}

start();

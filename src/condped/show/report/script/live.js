// A page that updates itself: events from its server, and a strip with the state of the connection.
const status = { state: "waiting", message: "", verdicts: "ready" };
const LIVE_WORDS = { live: "Live", idle: "Idle", waiting: "Waiting", unreachable: "Study unreachable", ended: "Server stopped", lost: "Connection lost", refused: "Refused" };
const LINK_WORDS = {
  lost: "The server does not answer. The numbers below are the last ones; updates resume as soon as it is back.",
  refused: "The server refused this page. Open the address that it printed, or close other pages.",
};

function setUpLive() {
  if (!data.live) return;
  document.documentElement.toggleAttribute("data-live", true);
  byId("live").hidden = false;
  drawStrip();
  connect(data.live, {
    changes: ({ changes }) => setData(changes),
    page: ({ data: fresh }) => setPage(fresh),
    status: (fresh) => Object.assign(status, { message: "" }, fresh),
  }, (link) => { status.link = link; drawStrip(); });
}

// Replaces all data: entries that the fresh ones lack are removed.
function setPage(fresh) {
  for (const name of Object.keys(data)) if (!(name in fresh) && !["live", "index", "framed"].includes(name)) delete data[name];
  setData(fresh);
}

function liveState() {
  return status.state === "ended" ? "ended" : status.link || status.state;
}

// Screen readers announce the state and the verdicts, not what changes with each trial.
function drawStrip() {
  const now = liveState(), running = status.running ?? data.account.trials.running;
  const finished = status.finished ?? finishedTrials(), best = data.summary?.best || [];
  // Nothing is computed for a study or a server that is gone.
  const computing = status.verdicts === "computing" && !["ended", "lost", "refused", "unreachable"].includes(now);
  const verdicts = !finished ? "" : data.tested ? `verdicts as of trial ${whole(data.tested.trials)}` : computing ? "verdicts being computed" : "no verdicts yet";
  byId("live").dataset.state = now;
  refill("live-state", LIVE_WORDS[now] || now);
  refill("live-trials", `${whole(finished)} finished`, element("span", { class: "more" }, running ? `, ${whole(running)} running` : ""));
  refill("live-best", best.length === 1 ? `best ${bestValue(best[0].value)}` : "");
  refill("live-verdicts", verdicts, element("span", { class: "more" }, computing && data.tested ? ", new ones being computed" : ""));
  const message = LINK_WORDS[now] || (waitingForTrials() && now === "waiting" ? "" : status.message);
  byId("live-message").hidden = !message;
  setText(byId("live-message"), message || "");
  setText(byId("live-said"), `${LIVE_WORDS[now] || now}${verdicts && "; "}${verdicts}.`);
}

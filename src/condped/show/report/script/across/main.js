// The page of several studies.
function setUpPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.fold:not([open]):not([hidden])")];
    for (const box of closed) openFold(box.id);
  });
  addEventListener("afterprint", () => { for (const box of closed) box.open = false; });
}

function start() {
  byId("main").hidden = false;
  setUpTheme();
  setUpOrders();
  setUpPrinting();
  setUpFold("branches", { gist: branchesGist, draw: drawBranches });
  setUpFold("studies", { gist: studiesGist, draw: drawStudies });
  setUpFold("basis", { gist: basisGist, draw: drawBasis });
  setUpFold("download", { gist: () => "as CSV and JSON", draw: drawDownloads });
  byId("filter").addEventListener("input", () => { state.filter = byId("filter").value; drawCards(); });
  fill("pooled-hint", `The mean importance of each parameter, every study weighted equally, with a ${percent(data.level)} interval for studies like these. Open one to see its studies.`);
  fill("footer", element("p", {}, `Made by condped ${data.versions.condped}, after condPED-ANOVA (Baba, Ozaki and Watanabe, KDD 2026). This page is one file and works offline.`));
  drawAnswer();
  if (parameters.length) drawMap();
  byId("map").hidden = !parameters.length;
  byId("pooled").hidden = !parameters.length;
  drawCards();
  updateFolds();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    if (parameters.length) drawMap();
    redrawForests();
    redrawFolds();
  });
}

start();

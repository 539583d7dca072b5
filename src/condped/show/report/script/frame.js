// In a frame of a notebook: the page around is told the height and what the reader chooses, and tells colours, choice and data.
const framed = Boolean(data.framed) && parent !== window;
const tellFrame = (said) => parent.postMessage({ condped: said }, "*");
let toldChoice = "";

function tellChoice() {
  if (!framed) return;
  const choice = { quantile: data.steps ? data.steps[state.step] : null, method: state.method };
  if (JSON.stringify(choice) === toldChoice) return;
  toldChoice = JSON.stringify(choice);
  tellFrame(choice);
}

function setUpFrame() {
  if (!framed) return;
  byId("theme").hidden = true; // the notebook's decide
  addEventListener("message", ({ source, data: message }) => {
    const said = source === parent && message?.condped;
    if (!said) return;
    if (said.theme) document.documentElement.dataset.theme = said.theme;
    if (said.data) setPage(said.data);
    if (said.method && said.method !== state.method && data.methods.includes(said.method)) chooseMethod(said.method);
    if (said.quantile && data.steps && nearestStep(said.quantile) !== state.step) moveTo(nearestStep(said.quantile));
    if (said.data || said.method) tellChoice();
  });
  new ResizeObserver(() => tellFrame({ height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body);
  tellFrame({ ready: true });
}

// In a notebook's frame: sends the height and the reader's choice to the page around, and receives theme, choice and data.
const framed = Boolean(data.framed) && parent !== window;
const postToParent = (message) => parent.postMessage({ condped: message }, "*");
let postedChoice = "";

function postChoice() {
  if (!framed) return;
  const choice = { quantile: data.steps ? data.steps[state.step] : null, method: state.method };
  if (JSON.stringify(choice) === postedChoice) return;
  postedChoice = JSON.stringify(choice);
  postToParent(choice);
}

function setUpFrame() {
  if (!framed) return;
  byId("theme").hidden = true; // the notebook decides
  addEventListener("message", ({ source, data: message }) => {
    const received = source === parent && message?.condped;
    if (!received) return;
    const { theme, data: fresh, method, quantile } = received;
    if (theme) document.documentElement.dataset.theme = theme;
    if (fresh) setPage(fresh);
    if (method && method !== state.method && data.methods.includes(method)) chooseMethod(method);
    if (quantile && data.steps && nearestStep(quantile) !== state.step) moveTo(nearestStep(quantile));
    if (fresh || method) postChoice();
  });
  new ResizeObserver(() => postToParent({ height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body);
  postToParent({ ready: true });
}

// The page of a report in a frame of a notebook: as high as it is, in the notebook's colours.

// Light text means a dark page, whichever notebook this is.
function isDark(element) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.fillStyle = getComputedStyle(element).color;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
}

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "condped report";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "display:block;width:100%;border:0;height:640px";
  const send = (said) => frame.contentWindow?.postMessage({ condped: said }, "*");
  const theme = () => (isDark(el) ? "dark" : "light");
  const choice = () => ({ quantile: model.get("target_quantile"), method: model.get("method") });
  const sendTheme = () => send({ theme: theme() });
  const setHeight = (fitting) => {
    const fixed = model.get("height");
    if (fixed || fitting) frame.style.height = `${fixed || fitting}px`;
  };
  const hear = ({ source, data: message }) => {
    const said = source === frame.contentWindow && message?.condped;
    if (!said) return;
    if (said.ready) send({ theme: theme(), data: model.get("_data"), ...choice() });
    if (said.height) setHeight(said.height);
    if ("quantile" in said) {
      model.set("target_quantile", said.quantile);
      model.set("method", said.method);
      model.save_changes();
    }
  };
  // What the reader chooses comes back from Python, maybe late: only what Python asks for is passed on.
  const changed = {
    _data: () => send({ data: model.get("_data") }),
    _requests: () => send(choice()),
    height: () => setHeight(),
  };
  for (const [name, act] of Object.entries(changed)) model.on(`change:${name}`, act);
  window.addEventListener("message", hear);
  const watcher = new MutationObserver(sendTheme), system = matchMedia("(prefers-color-scheme: dark)");
  for (const place of [document.documentElement, document.body]) watcher.observe(place, { attributes: true });
  system.addEventListener("change", sendTheme);
  setHeight();
  frame.srcdoc = model.get("_page");
  el.append(frame);
  return () => {
    for (const [name, act] of Object.entries(changed)) model.off(`change:${name}`, act);
    window.removeEventListener("message", hear);
    system.removeEventListener("change", sendTheme);
    watcher.disconnect();
  };
}

export default { render };

// The page of a report in a notebook's frame, in its full height and the notebook's colours.

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
  const send = (message) => frame.contentWindow?.postMessage({ condped: message }, "*");
  const theme = () => (isDark(el) ? "dark" : "light");
  const choice = () => ({ quantile: model.get("target_quantile"), method: model.get("method") });
  const sendTheme = () => send({ theme: theme() });
  const setHeight = (fitting) => {
    const fixed = model.get("height");
    if (fixed || fitting) frame.style.height = `${fixed || fitting}px`;
  };
  const receive = ({ source, data: message }) => {
    const received = source === frame.contentWindow && message?.condped;
    if (!received) return;
    if (received.ready) send({ theme: theme(), data: model.get("_data"), ...choice() });
    if (received.height) setHeight(received.height);
    if ("quantile" in received) {
      model.set("target_quantile", received.quantile);
      model.set("method", received.method);
      model.save_changes();
    }
  };
  // Python echoes the reader's choices, maybe late: only those that Python requests are passed on.
  const changed = {
    _data: () => send({ data: model.get("_data") }),
    _requests: () => send(choice()),
    height: () => setHeight(),
  };
  for (const [name, act] of Object.entries(changed)) model.on(`change:${name}`, act);
  window.addEventListener("message", receive);
  const watcher = new MutationObserver(sendTheme), system = matchMedia("(prefers-color-scheme: dark)");
  for (const place of [document.documentElement, document.body]) watcher.observe(place, { attributes: true });
  system.addEventListener("change", sendTheme);
  setHeight();
  frame.srcdoc = model.get("_page");
  el.append(frame);
  return () => {
    for (const [name, act] of Object.entries(changed)) model.off(`change:${name}`, act);
    window.removeEventListener("message", receive);
    system.removeEventListener("change", sendTheme);
    watcher.disconnect();
  };
}

export default { render };

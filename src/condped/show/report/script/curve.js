// Importances over the target quantile, with a marker at the slider's position.
const COLOURS = 6;

const peak = (parameter) => Math.max(...parameter.importance[state.method]);

function curveGist() {
  if (!data.steps || data.steps.length < 2 || !parameters.some((parameter) => peak(parameter) > 0)) return null;
  return `from the best ${exactPercent(data.steps[0])} to the best ${exactPercent(data.steps[data.steps.length - 1])}`;
}

function drawCurve() {
  const box = byId("curve");
  const width = Math.max(280, box.clientWidth), height = width < 560 ? 240 : 300;
  const wide = width >= 560;
  const frame = { left: 40, right: width - (wide ? 190 : 16), top: 14, bottom: height - 40 };
  const mean = (parameter) => sum(parameter.importance[state.method]) / data.steps.length;
  const shown = [...parameters].sort((a, b) => mean(b) - mean(a) || a.place - b.place)
    .slice(0, COLOURS).filter((parameter) => peak(parameter) > 0);
  const most = Math.max(0.1, ...shown.map(peak)), apart = most > 0.5 ? 0.2 : 0.1;
  const top = apart * Math.ceil(most / apart - 1e-9);
  const last = data.steps[data.steps.length - 1];
  const x = (quantile) => frame.left + (frame.right - frame.left) * quantile / last;
  const y = (value) => frame.bottom - (frame.bottom - frame.top) * value / top;
  const picture = drawn("svg", { width, height, role: "img", "aria-labelledby": "curve-title" });
  picture.append(drawn("title", { id: "curve-title" }, curveWords(shown)));
  axes(picture, frame, x, y, last, Math.round(top / apart), apart);
  picture.append(...flatRanges().map(([first, last], place) => drawn("rect", { class: place % 2 ? "flat other" : "flat", y: frame.bottom + 1, height: 5,
    x: x(data.steps[first]), width: Math.max(2, x(data.steps[last]) - x(data.steps[first])) },
  drawn("title", {}, `Ties: the same target set from ${exactPercent(data.steps[first])} to ${exactPercent(data.steps[last])}`))));
  shown.forEach((parameter, place) => picture.append(curveOf(parameter, place, x, y)));
  picture.append(drawn("g", { id: "marker" }));
  if (wide) endLabels(picture, shown, frame, y);
  picture.onclick = (event) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const gaps = data.steps.map((quantile) => Math.abs(x(quantile) - at));
    moveTo(gaps.indexOf(Math.min(...gaps)));
  };
  const legend = wide ? null : element("ul", { class: "legend" }, shown.map((parameter, place) =>
    element("li", {}, element("span", { class: `key c${place}`, "aria-hidden": "true" }), cut(parameter.name, 32))));
  patch(box, picture, legend);
  const hidden = parameters.length - shown.length;
  refill("sweep-hint", `Importance when the target set is the best ${exactPercent(data.steps[0])}, ${exactPercent(data.steps[1])} … of the trials. The marker is at the slider's position.`,
    flatRanges().length ? " In the ranges marked at the bottom, tied values make every target quantile select the same trials." : "",
    hidden > 0 ? ` ${count(hidden, "parameter")} of lower importance ${hidden === 1 ? "is" : "are"} not drawn.` : "");
  drawMarker({ shown, x, y, frame });
}

function curveWords(shown) {
  const parts = shown.map((parameter) => {
    const values = parameter.importance[state.method], most = Math.max(...values);
    return `${parameter.name} at most ${share(most)}, at ${exactPercent(data.steps[values.indexOf(most)])}`;
  });
  return `Importance over the target quantile: ${parts.join("; ")}.`;
}

function axes(picture, frame, x, y, last, lines, apart) {
  for (let line = 0; line <= lines; line += 1) {
    const value = apart * line;
    picture.append(drawn("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y(value), y2: y(value) }),
      drawn("text", { class: "tick", x: frame.left - 8, y: y(value) + 4, "text-anchor": "end" }, String(+value.toFixed(2))));
  }
  const ticks = [0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].filter((tick) => tick <= last);
  const shown = last < 0.3 ? data.steps.filter((_, place) => place % 4 === 0) : ticks.filter((tick, place) =>
    frame.right - frame.left > 380 || place % 2 === 1);
  for (const tick of shown) {
    picture.append(drawn("text", { class: "tick", x: x(tick), y: frame.bottom + 18, "text-anchor": "middle" }, exactPercent(tick).replace("\u00a0", "")));
  }
  picture.append(drawn("text", { class: "tick", x: (frame.left + frame.right) / 2, y: frame.bottom + 35, "text-anchor": "middle" },
    "best share of the trials (γ′)"));
}

function curveOf(parameter, place, x, y) {
  let path = "", broken = true;
  data.steps.forEach((quantile, step) => {
    if (data.reasons[state.method][step]) { broken = true; return; }
    const value = parameter.importance[state.method][step];
    path += `${broken ? "M" : "L"}${x(quantile).toFixed(1)} ${y(value).toFixed(1)}`;
    broken = false;
  });
  return drawn("path", { class: `curve c${place}`, d: path });
}

// Names at the ends of their curves, pushed apart so that they do not overlap.
function endLabels(picture, shown, frame, y) {
  const labels = shown.map((parameter, place) => {
    const values = parameter.importance[state.method].filter((_, step) => !data.reasons[state.method][step]);
    return { name: parameter.name, place, y: y(values.length ? values[values.length - 1] : 0) };
  }).sort((a, b) => a.y - b.y || a.place - b.place);
  const apart = 18;
  labels.forEach((label, i) => { if (i) label.y = Math.max(label.y, labels[i - 1].y + apart); });
  const over = labels.length ? labels[labels.length - 1].y - frame.bottom : 0;
  for (let i = labels.length - 1; i >= 0 && over > 0; i -= 1) {
    const limit = i === labels.length - 1 ? frame.bottom : labels[i + 1].y - apart;
    labels[i].y = Math.min(labels[i].y, limit);
  }
  for (const label of labels) {
    picture.append(drawn("line", { class: `curve c${label.place}`, x1: frame.right + 8, x2: frame.right + 28, y1: label.y, y2: label.y }),
      drawn("text", { class: "label", x: frame.right + 34, y: label.y + 4 }, cut(label.name, 20)));
  }
}

function drawMarker({ shown, x, y, frame }) {
  const at = x(data.steps[state.step]);
  const dots = reasonNow() ? [] : shown.map((parameter, place) =>
    drawn("circle", { class: `dot c${place}`, cx: at, cy: y(importanceOf(parameter)), r: 4 }));
  byId("marker").replaceChildren(
    drawn("line", { class: "marker", x1: at, x2: at, y1: frame.top, y2: frame.bottom }), ...dots);
}

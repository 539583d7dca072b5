// The heat map: a row per parameter, a column per study, the means at the side.
const HIGH = 24, SIDE = 150, COUNT = 78, COUNT_ALONE = 46;
const UNCLEAR = 0.4; // of the colour that it would have if it mattered

function setUpOrders() {
  const option = (value, text) => element("option", { value }, text);
  fill("order-studies", option("alike", "similar ones together"), option("given", "as given"), option("name", "by name"),
    element("optgroup", { label: "by the importance of" }, parameters.slice(0, 100).map((one) => option(String(one.place), cut(one.name, 32)))));
  fill("order-parameters", option("mean", "by their mean"), option("spread", "by spread between studies"), option("name", "by name"),
    element("optgroup", { label: "as important in" }, studies.slice(0, 300).map((one) => option(String(one.place), cut(one.name, 32)))));
  const changed = (id, name) => byId(id).addEventListener("change", () => { state[name] = byId(id).value; drawMap(); });
  changed("order-studies", "studies");
  changed("order-parameters", "parameters");
}

function chooseOrder(name, value) {
  state[name] = state[name] === value ? (name === "studies" ? "alike" : "mean") : value;
  byId(`order-${name}`).value = state[name];
  drawMap();
}

function shownParameters() {
  const order = orderedParameters();
  return state.all ? order : order.slice(0, MOST);
}

function drawMap() {
  const columns = orderedStudies().slice(0, MOST_COLUMNS), rows = shownParameters();
  const heat = byId("heat"), room = heat.clientWidth || 900;
  const letters = Math.min(26, Math.max(...rows.map((one) => [...cut(one.name, 26)].length), 4));
  const left = Math.min(room * 0.42, 7.2 * letters + 12), narrow = room < 560;
  const side = narrow ? COUNT_ALONE : SIDE + COUNT;
  const named = columns.length <= 60;
  const wide = Math.max(named ? 17 : 3, Math.min(90, (room - left - side - 16) / columns.length));
  const top = named ? Math.min(130, 10 + 6.4 * Math.max(...columns.map((one) => [...cut(one.name, 18)].length))) : 26;
  const slanted = wide < 46 || columns.some((one) => 7.5 * [...cut(one.name, 18)].length > wide);
  const x = (column) => left + column * wide, y = (row) => (slanted || !named ? top : 26) + row * HIGH;
  const highest = Math.max(0.05, ...rows.flatMap((one) => columns.map((study) => importanceIn(one, study))));
  const width = x(columns.length) + side + 8, height = y(rows.length) + 26;
  const parts = [];
  if (named) columns.forEach((study, column) => parts.push(studyLabel(study, x(column) + wide / 2, y(0) - 6, slanted)));
  else parts.push(drawn("text", { x: left, y: 16 }, `${whole(columns.length)} of ${whole(studies.length)} studies`));
  rows.forEach((parameter, row) => {
    parts.push(drawn("text", { class: `row${state.studies === String(parameter.place) ? " chosen" : ""}`, x: left - 8, y: y(row) + 16, "text-anchor": "end",
      onclick: () => chooseOrder("studies", String(parameter.place)) }, cut(parameter.name, 26), drawn("title", {}, `${parameter.name}: sort the studies by it`)));
    columns.forEach((study, column) => parts.push(...mapCell(parameter, study, x(column), y(row), wide, highest)));
    if (!narrow) parts.push(...meanMarks(parameter, x(columns.length) + 16, y(row)));
    else parts.push(drawn("text", { class: "matters-count", x: x(columns.length) + 6, y: y(row) + 16 }, `${parameter.matters_in} of ${parameter.studies}`));
  });
  if (!narrow) parts.push(...meanAxis(x(columns.length) + 16, y(0), y(rows.length)));
  else parts.push(drawn("text", slanted ? { transform: `translate(${x(columns.length) + 26} ${y(0) - 6}) rotate(-90)` } : { x: x(columns.length) + 2, y: y(0) - 6 }, slanted ? "matters in" : "matters"));
  const here = drawn("rect", { class: "here", width: Math.max(wide - 1, 2), height: HIGH - 1, visibility: "hidden" });
  const picture = drawn("svg", { class: "heat", width, height, role: "img", "aria-label": `${data.answer.matters} The table below has the numbers.` }, parts, here);
  watchPointer(picture, here, { columns, rows, x, y, wide });
  fill("heat", picture);
  drawKey(rows, columns, wide);
  fill("tip", parameters.length > rows.length ? `${whole(parameters.length - rows.length)} more parameters below. ` : "", "Point at a cell to read its numbers; click a name to sort by it.");
}

function studyLabel(study, x, y, slanted) {
  const place = slanted ? { transform: `translate(${x + 4} ${y}) rotate(-90)` } : { x, y, "text-anchor": "middle" };
  return drawn("text", { class: `study${state.parameters === String(study.place) ? " chosen" : ""}`, ...place, onclick: () => chooseOrder("parameters", String(study.place)) },
    cut(study.name, 18), drawn("title", {}, `${study.name}: sort the parameters by it`));
}

function mapCell(parameter, study, x, y, wide, highest) {
  const cell = cellOf(parameter, study), box = { x, y, width: Math.max(wide - (wide > 8 ? 1 : 0), 1), height: HIGH - 1 };
  if (!cell) return [drawn("rect", { class: "cell none", ...box })];
  if (!cell.determined) return [drawn("rect", { class: "cell grey", ...box }), drawn("text", { class: "value", x: x + wide / 2, y: y + 16 }, "?")];
  const grey = ["no evidence", "not testable"].includes(cell.verdict), part = cell.importance / highest;
  const unclear = cell.verdict === "unclear", strength = (0.22 + 0.78 * part) * (unclear ? UNCLEAR : 1);
  const parts = grey ? [] : [drawn("rect", { class: "cell-base", ...box })];
  parts.push(drawn("rect", { class: grey ? "cell grey" : "cell", "fill-opacity": grey ? null : strength.toFixed(3), ...box }));
  if (wide >= 30) parts.push(drawn("text", { class: `value${!grey && !unclear && part > 0.5 ? " over" : ""}`, x: x + wide / 2, y: y + 16 }, cell.verdict === "not testable" ? "–" : cell.importance.toFixed(2)));
  else if (cell.verdict === "not testable" && wide >= 12) parts.push(drawn("text", { class: "value", x: x + wide / 2, y: y + 16 }, "–"));
  if (unclear && wide >= 5) parts.push(drawn("circle", { class: "cell-dot", cx: wide >= 30 ? x + wide - 7 : x + wide / 2, cy: wide >= 30 ? y + 6 : y + HIGH / 2, r: wide >= 12 ? 3 : 2 }));
  if (cell.odd) parts.push(drawn("rect", { class: "odd-ring", x: x + 1, y: y + 1, width: Math.max(wide - 3, 3), height: HIGH - 3 }));
  return parts;
}

const meanEnd = () => Math.max(0.05, ...parameters.map((one) => one.high));

function meanMarks(parameter, left, y) {
  const scale = (value) => left + SIDE * 0.92 * value / meanEnd(), middle = y + HIGH / 2 - 0.5;
  const apart = parameter.agreement === "differs";
  return [
    drawn("line", { class: "whisker", x1: scale(parameter.low), x2: scale(parameter.high), y1: middle, y2: middle }),
    apart ? drawn("path", { class: "mean apart", d: `M${scale(parameter.importance)} ${middle - 6}l6 6l-6 6l-6 -6z` })
      : drawn("circle", { class: "mean", cx: scale(parameter.importance), cy: middle, r: 4.5 }),
    drawn("text", { x: left + SIDE, y: y + 16 }, `${parameter.matters_in} of ${parameter.studies}`),
  ];
}

function meanAxis(left, top, bottom) {
  const end = meanEnd(), step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((one) => end / one <= 4) || 0.5, parts = [];
  for (let value = 0; value <= end + 1e-9; value += step) {
    const x = left + SIDE * 0.92 * value / end;
    parts.push(drawn("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }), drawn("text", { x, y: bottom + 15, "text-anchor": "middle" }, String(+value.toFixed(2))));
  }
  parts.push(drawn("text", { x: left, y: top - 8 }, "mean"), drawn("text", { x: left + SIDE, y: top - 8 }, "matters in"));
  return parts;
}

// By the place of the pointer rather than by an event on each of thousands of cells.
function watchPointer(picture, here, { columns, rows, x, y, wide }) {
  const move = (event) => {
    const box = picture.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - x(0)) / wide), row = Math.floor((event.clientY - box.top - y(0)) / HIGH);
    const inside = column >= 0 && column < columns.length && row >= 0 && row < rows.length;
    here.setAttribute("visibility", inside ? "visible" : "hidden");
    if (!inside) return;
    here.setAttribute("x", x(column));
    here.setAttribute("y", y(row));
    const [where, words] = cellWords(rows[row], columns[column]);
    fill("tip", element("strong", {}, where), `: ${words}`);
  };
  picture.addEventListener("pointermove", move);
  picture.addEventListener("pointerdown", move);
}

function drawKey(rows, columns, wide) {
  const cells = rows.flatMap((one) => columns.map((study) => cellOf(one, study)));
  const entry = (kind, words) => element("span", { class: "key-entry" }, element("span", { class: `key-cell ${kind}` }), words);
  const parts = [element("span", { class: "key-entry" }, "importance 0", element("span", { class: "ramp" }), Math.max(0.05, ...cells.map((cell) => (cell && cell.determined ? cell.importance : 0))).toFixed(2))];
  if (wide >= 5 && cells.some((cell) => cell?.verdict === "unclear")) parts.push(entry("unclear", "unclear (paler)"));
  if (cells.some((cell) => cell && cell.verdict !== "matters" && cell.verdict !== "unclear")) parts.push(entry("grey", "no evidence, or not testable (–)"));
  if (cells.some((cell) => !cell)) parts.push(entry("blank", "not a parameter of the study"));
  if (cells.some((cell) => cell?.odd)) parts.push(entry("odd", "odd: unlike all other studies"));
  if (columns.length < studies.length) parts.push(element("span", { class: "key-entry" }, `the first ${columns.length} of ${whole(studies.length)} studies in this order`));
  fill("heat-key", ...parts);
}

// Elements and words. Texts from the study only ever become text nodes.
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onclick" || name === "ontoggle") node[name] = value;
    else node.setAttribute(name, value === true ? "" : seen(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined).map(seen));
  return node;
}

// Invisible characters, and those that change the direction of others, as their codes; line breaks are kept.
function seen(child) {
  if (typeof child !== "string") return child;
  return child.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (letter) => `\\u${letter.codePointAt(0).toString(16).padStart(4, "0")}`);
}

const byId = (id) => document.getElementById(id);
const fill = (id, ...children) => byId(id).replaceChildren(...children.flat().filter(Boolean).map(seen));

// Makes the children of a box equal to the given ones. Existing nodes are changed rather than replaced, so that
// focus, selected text, scroll positions and what the reader has opened stay.
function patch(box, ...children) {
  const made = children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  let old = box.firstChild;
  for (const child of made) {
    const node = typeof child === "object" ? child : document.createTextNode(seen(String(child)));
    const next = old && old.nextSibling;
    if (!old) box.append(node);
    else if (old !== node) adopt(old, node);
    old = next;
  }
  while (old) { const next = old.nextSibling; old.remove(); old = next; }
}

function adopt(old, node) {
  if (old.nodeName !== node.nodeName || old.id !== node.id) { old.replaceWith(node); return; }
  if (node.nodeType === Node.TEXT_NODE) { if (old.data !== node.data) old.data = node.data; return; }
  for (const { name, value } of node.attributes) if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of old.getAttributeNames()) if (name !== "open" && !node.hasAttribute(name)) old.removeAttribute(name);
  // From now on, events act on the newer data.
  old.onclick = node.onclick;
  old.ontoggle = node.ontoggle;
  if (!(node instanceof SVGElement && old.isEqualNode(node))) patch(old, ...node.childNodes);
}

const refill = (id, ...children) => patch(byId(id), ...children);

// A best value, the same on all pages: six digits, as in texts, without trailing zeros.
function bestValue(value) {
  if (value === null || value === undefined) return "–";
  const shown = Number.isInteger(value) && Math.abs(value) < 1e7 ? value : Number(value.toPrecision(6)), size = Math.abs(shown);
  return size >= 1e4 && size < 1e9 ? shown.toLocaleString("en-US") : String(shown);
}

const whole = (number) => Math.round(number).toLocaleString("en-US");
// What is not 0 does not look like 0.
const share = (number) => (number > 0 && number < 0.0005 ? "<\u00a00.001" : number.toFixed(3));
const TINY = "≈\u00a00";
const TINY_WORDS = "≈ 0: statistically significant, but too small to give it a share.";
const importanceText = (value, verdict) => (value === 0 && verdict === "matters" ? TINY : share(value));

// Where the target trials of a gate are, in a few words.
function choiceWords({ label, here, size }) {
  return `${cut(label, 24)}: ${here === size ? `all ${whole(size)}` : `${whole(here)} of ${whole(size)}`} target trials`;
}
function choiceSentence({ label, here, size, share: part, always, between }) {
  const some = here === size ? `all ${whole(size)}` : `${whole(here)} of the ${whole(size)}`;
  const explains = between === null ? "" : `; the choice of the branch explains ${percent(between)} of reaching ${targetName()}`;
  return `It chooses the branch: ${cut(label, 40)} has ${some} target trials and ${percent(part)} of ${always ? "all trials" : "the trials where it is active"}${explains}.`;
}

// What is above 1 is not a share.
const OVER = ">\u00a01";
const OVER_WORDS = "η² above 1 is not a share: smoothing overstates it where one parameter decides nearly everything.";
function etaText(value, verdict) {
  if (verdict === "not testable") return "–";
  return value >= 1.0005 ? OVER : share(value);
}

function percent(number) {
  const value = 100 * number;
  const shown = value > 0 && value < 0.1 ? "< 0.1" : String(+value.toPrecision(value < 1 ? 1 : 2));
  return `${value >= 99.5 ? Math.round(value) : shown}\u00a0%`;
}

const exactPercent = (number) => `${+(100 * number).toPrecision(4)}\u00a0%`;

function short(number) {
  if (number === 0 || Number.isInteger(number) && Math.abs(number) < 1e5) return String(number);
  const size = Math.abs(number);
  const text = size >= 1e5 || size < 1e-3 ? number.toExponential(2) : number.toPrecision(3);
  return text.includes("e") ? text.replace(/\.?0*e\+?/, "e") : String(Number(text));
}

const shortP = (p) => (p === null ? "–" : p < 1e-4 ? "< 0.0001" : String(+p.toPrecision(2)));
const pWords = (p) => (p < 1e-4 ? "p\u00a0<\u00a00.0001" : `p\u00a0=\u00a0${shortP(p)}`);
const count = (number, what) => `${whole(number)} ${what}${number === 1 ? "" : "s"}`;

// Long names lose their middle: names with the same beginning often differ at the end.
function cut(text, most) {
  // Only spaces would be invisible: they are quoted, and each of them is kept.
  const blank = text && !text.trim() ? `'${seen(text).replace(/\s/g, "\u00a0")}'` : text;
  const letters = [...seen(blank || "(no name)")];
  if (letters.length <= most) return letters.join("");
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}

// "a, b and c", the names set apart from the words.
function listed(names, most = 6) {
  const shown = names.length > most + 1 ? names.slice(0, most) : names;
  const rest = names.length - shown.length;
  const parts = shown.map((name) => nameTag(name));
  if (rest) parts.push(document.createTextNode(`${rest} more`));
  return parts.flatMap((part, place) => {
    if (place === 0) return [part];
    return [place === parts.length - 1 ? " and " : ", ", part];
  });
}

// The same as one text.
function listedText(names, most = 4) {
  const shown = names.slice(0, names.length > most + 1 ? most : names.length).map((name) => cut(name, 32));
  if (shown.length < names.length) shown.push(`${names.length - shown.length} more`);
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}

function nameTag(name) {
  return element("span", { class: "name", title: name.length > 40 ? name : null }, breakable(name, 40));
}

// A name that may break where its words end: "optimizer:" and then "weight_decay".
function breakable(name, most) {
  const words = cut(name, most).split(/(?<=[:._/-])(?=[^:._/-])/u);
  return words.flatMap((word, place) => (place ? [element("wbr"), word] : [word]));
}

// A verdict by shape, by word and by colour.
const MARKS = { matters: "●", unclear: "◐", "no evidence": "○", "not testable": "–", "not tested yet": "…" };
const classOf = (verdict) => verdict.replaceAll(" ", "-");

function verdictTag(verdict, reason = "") {
  const tag = element("span", {}, element("span", { class: "mark", "aria-hidden": "true" }), "");
  tag.append(document.createTextNode(""));
  setVerdict(tag, verdict, reason);
  return tag;
}

// The reason of a verdict is a tooltip; the card has it, too.
function setVerdict(tag, verdict, reason = "") {
  if (tag.title !== reason) tag.title = seen(reason);
  const names = `verdict ${classOf(verdict)}`;
  if (tag.className === names) return;
  tag.className = names;
  setText(tag.firstChild, MARKS[verdict]);
  tag.lastChild.data = ` ${verdict}`;
}

// What has not changed is left alone, which is most of hundreds of rows.
function setText(node, text) {
  const shown = seen(text);
  if (node.textContent !== shown) node.textContent = shown;
}

function bar(value, highest, verdict, low, high) {
  const picture = drawn("svg", { class: "bar", width: "100%", height: "14", "aria-hidden": "true" },
    drawn("rect", { class: "track", x: 0, y: 2, width: "100%", height: 10, rx: 2 }),
    drawn("rect", { x: 0, y: 2, height: 10, rx: 2 }));
  setBar(picture, value, highest, verdict, low, high);
  return picture;
}

function setBar(picture, value, highest, verdict, low, high, jointLow, jointHigh) {
  const scale = (number) => `${(100 * Math.min(1, number / (highest || 1))).toFixed(2)}%`;
  const rect = picture.children[1];
  rect.setAttribute("class", value > 0 ? classOf(verdict) : "nothing");
  rect.setAttribute("width", scale(value));
  while (picture.children.length > 2) picture.lastChild.remove();
  if (low === undefined || !(high > 0)) return;
  const line = (from, to, top, bottom) => drawn("line",
    { class: "whisker", x1: scale(from), x2: scale(to), y1: top, y2: bottom });
  picture.append(line(low, high, 7, 7), line(low, low, 3, 11), line(high, high, 3, 11));
  if (jointLow !== undefined) picture.append(line(jointLow, low, 7, 7), line(high, jointHigh, 7, 7));
}

// A table with a caption for screen readers.
function table(caption, header, rows, right = []) {
  const cell = (tag, content, column) => element(
    tag,
    { class: right.includes(column) ? "number" : null, scope: tag === "th" ? "col" : null, "data-label": tag === "td" ? header[column] || null : null },
    content,
  );
  return element("div", { class: "scroll" }, element("table", {},
    element("caption", { class: "unseen" }, caption),
    element("thead", {}, element("tr", {}, header.map((text, i) => cell("th", text, i)))),
    element("tbody", {}, rows.map((row) =>
      element("tr", {}, row.map((content, i) => cell("td", content, i))))),
  ));
}

// Sections that open: each says in a line what it holds, and is drawn when it is open.
const folds = new Map();

// told: what stands beside the title, null where there is nothing to open; draw: on each opening and
// when the width changes; update: when the slider or the method moves, unless drawing does it; uses:
// which of the data it is drawn from, where these can change; dated: whether all of it is as old as the verdicts.
function setUpFold(id, { told, draw, update = draw, uses = [], dated = false }) {
  const box = byId(id);
  folds.set(id, { box, told, draw, update, uses, dated });
  box.addEventListener("toggle", () => { if (box.open && !box.hidden) draw(); });
}

// changed: the names of the data that are new; none if only the slider or the method has moved.
function updateFolds(changed = null) {
  for (const [id, { box, told, draw, update, uses, dated }] of folds) {
    const words = told();
    box.hidden = words === null;
    setText(byId(`${id}-told`), words ? `${words}${dated ? asOf(", ") : ""}` : "");
    if (!box.open || words === null) continue;
    if (!changed) update();
    else if (uses.some((name) => changed.has(name))) draw();
  }
}

function redrawFolds() {
  for (const { box, draw } of folds.values()) if (box.open && !box.hidden) draw();
}

function openFold(id) {
  const { box, draw } = folds.get(id);
  if (!box.open) { box.open = true; if (!box.hidden) draw(); }
  return box;
}

function foldLink(id, ...words) {
  return element("a", { href: `#${id}`, onclick: (event) => {
    event.preventDefault();
    const box = openFold(id);
    box.scrollIntoView({ block: "start" });
    box.querySelector("summary").focus({ preventScroll: true });
  } }, words);
}

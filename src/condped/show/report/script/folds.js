// Sections that open: a line says what each holds; its content is drawn when it is open.
const folds = new Map();

// gist: the text beside the title, null if there is nothing to open; draw: called on each opening and
// when the width changes; update: when the slider or the method changes, draw by default; uses:
// names of the data that it is drawn from, if these can change; dated: whether all of it is as old as the verdicts.
function setUpFold(id, { gist, draw, update = draw, uses = [], dated = false }) {
  const box = byId(id);
  folds.set(id, { box, gist, draw, update, uses, dated });
  box.addEventListener("toggle", () => { if (box.open && !box.hidden) draw(); });
}

// changed: the names of the data that are new; null if only the slider or the method has changed.
function updateFolds(changed = null) {
  for (const [id, { box, gist, draw, update, uses, dated }] of folds) {
    const words = gist();
    box.hidden = words === null;
    setText(byId(`${id}-gist`), words ? `${words}${dated ? asOf(", ") : ""}` : "");
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

// Sections that open: each says in a line what it holds, and is drawn when it is open.
const folds = new Map();

// told: what stands beside the title, null where there is nothing to open; draw: on each opening and
// when the width changes; update: when the slider or the method moves, unless drawing does it.
function setUpFold(id, { told, draw, update = draw }) {
  const box = byId(id);
  folds.set(id, { box, told, draw, update });
  box.addEventListener("toggle", () => { if (box.open && !box.hidden) draw(); });
}

function updateFolds() {
  for (const [id, { box, told, update }] of folds) {
    const words = told();
    box.hidden = words === null;
    fill(`${id}-told`, words || "");
    if (box.open && words !== null) update();
  }
}

function redrawFolds() {
  for (const { box, draw } of folds.values()) if (box.open && !box.hidden) draw();
}

function openFold(id) {
  const { box, draw } = folds.get(id);
  if (!box.open) { box.open = true; draw(); }
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

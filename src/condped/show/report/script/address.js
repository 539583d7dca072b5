// What the reader has set and opened, in the fragment of the address, so that links show the same.
let addressTimer = 0;

function addressWords() {
  const words = new URLSearchParams();
  if (data.steps && state.step !== data.start) words.set("q", String(data.steps[state.step]));
  if (state.chosen && state.method !== data.method) words.set("method", state.method);
  const open = [...folds].filter(([, { box }]) => box.open).map(([id]) => id);
  if (open.length) words.set("open", open.join());
  for (const [parameter, { box }] of cards) if (box.open) words.append("card", parameter.name);
  if (state.filter.trim()) words.set("filter", state.filter.trim());
  if (state.all) words.set("all", "1");
  return words.toString().replaceAll("%2C", ",");
}

// Delayed, as browsers limit the rate of changes.
function keepAddress() {
  postChoice();
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const words = addressWords(), here = location.hash.slice(1);
    // A place on the page, such as #answer, stays until there is something to store.
    if (words === here || !words && !here.includes("=")) return;
    try {
      history.replaceState(history.state, "", words ? `#${words}` : location.href.split("#")[0]);
    } catch { /* A frame of a notebook has no address of its own. */ }
  }, 200);
}

// Restores the settings before anything is drawn; returns what has to be opened.
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const plain = location.hash.includes("=") ? "" : location.hash.slice(1);
  // A place on the page: a section, or the card of a parameter by its number.
  if (plain) return { folds: [plain], cards: parameters.filter(({ place }) => plain === `p${place}`).map(({ name }) => name) };
  const quantile = Number(words.get("q"));
  state.step = data.steps && quantile > 0 ? nearestStep(quantile) : data.start;
  state.chosen = data.methods.includes(words.get("method"));
  setMethod(state.chosen ? words.get("method") : data.method);
  state.filter = words.get("filter") || "";
  state.all = words.get("all") === "1";
  byId("filter").value = state.filter;
  return { folds: (words.get("open") || "").split(",").filter(Boolean), cards: words.getAll("card") };
}

// Opens what an address names; closes everything else if the address of an open page has changed.
function openFromAddress({ folds: ids, cards: names }, closing) {
  const named = new Set(names.length ? [...ids, "parameters"] : ids);
  for (const [id, { box }] of folds) {
    if (named.has(id)) openFold(id);
    else if (closing) box.open = false;
  }
  const chosen = parameters.filter((parameter) => names.includes(parameter.name));
  if (chosen.some((parameter) => !visible().includes(parameter))) { state.all = true; draw(); }
  if (closing) for (const [parameter, { box }] of cards) if (!chosen.includes(parameter)) box.open = false;
  for (const parameter of chosen) {
    const { box } = cards.get(parameter);
    if (!box.open) { box.open = true; fillCard(parameter); }
  }
  return chosen[0];
}

function setUpAddress() {
  const first = openFromAddress(readAddress(), false);
  // Browsers restore the scroll position of a page that was open before.
  const [visit] = performance.getEntriesByType("navigation");
  if (first && visit?.type === "navigate") cards.get(first).box.scrollIntoView({ block: "start" });
  document.addEventListener("toggle", keepAddress, true);
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) === addressWords()) return;
    const opened = readAddress();
    setUpSlider();
    setUpMethods();
    draw();
    openFromAddress(opened, location.hash.includes("=") || !location.hash);
  });
}

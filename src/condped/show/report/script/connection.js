// Events from the server that a page comes from, for as long as the page is open.
const LONGEST_WAIT = 30000; // milliseconds until the next attempt

// handlers: a function for each kind of event; notify: called with "" after each event, and with "lost" or "refused" when
// there is no connection. One connection at a time; the server learns from the browser, or the address, where to continue.
function connect(place, handlers, notify, wait = 1000) {
  const address = new URL(place, location.href), source = new EventSource(address);
  let patience = wait;
  const again = (after) => setTimeout(() => connect(address, handlers, notify, Math.min(2 * after + 1000, LONGEST_WAIT)), after);
  source.onopen = () => { patience = 1000; notify(""); };
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, (event) => {
      if (event.lastEventId) address.searchParams.set("from", event.lastEventId);
      handle(JSON.parse(event.data));
      notify("");
    });
  }
  source.onerror = () => {
    // The browser retries by itself, unless the response was an error.
    const refused = source.readyState === EventSource.CLOSED;
    notify(refused ? "refused" : "lost");
    if (refused) again(patience);
  };
  onpagehide = () => source.close();
  // A page that the browser restores from its cache.
  onpageshow = (event) => { if (event.persisted) again(0); };
}

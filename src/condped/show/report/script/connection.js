// Events of the server that a page comes from, for as long as the page is open.
const LONGEST_WAIT = 30000; // milliseconds until the next attempt

// acts: what is done with each kind of event; tell: called with "" after each of them, and with "lost" or "refused" when
// there is no connection. One connection at a time; where it was is told to the server by the browser, or by the address.
function connect(place, acts, tell, wait = 1000) {
  const address = new URL(place, location.href), source = new EventSource(address);
  let patience = wait;
  const again = (after) => setTimeout(() => connect(address, acts, tell, Math.min(2 * after + 1000, LONGEST_WAIT)), after);
  source.onopen = () => { patience = 1000; tell(""); };
  for (const [kind, act] of Object.entries(acts)) {
    source.addEventListener(kind, (event) => {
      if (event.lastEventId) address.searchParams.set("from", event.lastEventId);
      act(JSON.parse(event.data));
      tell("");
    });
  }
  source.onerror = () => {
    // The browser tries again by itself, unless it was answered with an error.
    const refused = source.readyState === EventSource.CLOSED;
    tell(refused ? "refused" : "lost");
    if (refused) again(patience);
  };
  onpagehide = () => source.close();
  // A page that the browser had put aside and shows again.
  onpageshow = (event) => { if (event.persisted) again(0); };
}

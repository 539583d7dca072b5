// Events of the server that a page comes from, for as long as the page is open.
const LONGEST_WAIT = 30000; // milliseconds until the next attempt

// acts: what is done with each kind of event; tell: called after each of them, and whenever the connection is lost or
// back. One connection at a time; where it was is told to the server by the browser, or by the address.
function connect(place, acts, tell, wait = 1000) {
  const address = new URL(place, location.href), source = new EventSource(address);
  let patience = wait;
  const again = (after) => setTimeout(() => connect(address, acts, tell, Math.min(2 * after + 1000, LONGEST_WAIT)), after);
  source.onopen = () => { patience = 1000; tell(false); };
  for (const [kind, act] of Object.entries(acts)) {
    source.addEventListener(kind, (event) => {
      if (event.lastEventId) address.searchParams.set("from", event.lastEventId);
      act(JSON.parse(event.data));
      tell(false);
    });
  }
  source.onerror = () => {
    tell(true);
    // The browser tries again by itself, unless it was answered with an error.
    if (source.readyState === EventSource.CLOSED) again(patience);
  };
  onpagehide = () => source.close();
  // A page that the browser had put aside and shows again.
  onpageshow = (event) => { if (event.persisted) again(0); };
}

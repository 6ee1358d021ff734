// Slack's patience, measured as Slack would: from outside of this process.

/** Calls `act` once so many milliseconds have really passed; gives back how to call it off. */
export function after(ms: number, act: () => void): () => void {
  const began = performance.now();
  let timer: NodeJS.Timeout;
  let off = false;
  const wait = (left: number): void => {
    timer = setTimeout(() => {
      // A timer set in a long turn of the event loop counts from that turn's beginning, and goes off too early.
      const rest = ms - (performance.now() - began);
      if (rest > 0) wait(rest);
      // What has arrived meanwhile was in time: this process was busy, not the app late.
      else setImmediate(() => setImmediate(() => off || act()));
    }, left);
  };
  wait(ms);
  return () => {
    off = true;
    clearTimeout(timer);
  };
}

// Watches every pattern of the program while it runs: which one took longer than it may, on what.

export interface SlowPattern {
  pattern: string;
  ms: number;
  text: string;
}

/** Runs `work` and names what took more than `most` milliseconds, the best of five: another process may have had the core. */
export function slowPatternsIn(work: () => void, most: number): SlowPattern[] {
  const slow = new Map<string, SlowPattern>();
  const own = RegExp.prototype.exec;
  function timed(this: RegExp, text: string): RegExpExecArray | null {
    const from = this.lastIndex;
    const began = performance.now();
    const found = own.call(this, text);
    if (performance.now() - began <= most || slow.has(this.source)) return found;
    const after = this.lastIndex;
    const again = Array.from({ length: 5 }, () => {
      this.lastIndex = from;
      const start = performance.now();
      own.call(this, text);
      return performance.now() - start;
    });
    this.lastIndex = after;
    const ms = Math.min(...again);
    if (ms > most) slow.set(this.source, { pattern: this.source.slice(0, 200), ms, text: text.slice(from, from + 80) });
    return found;
  }
  RegExp.prototype.exec = timed;
  try {
    work();
  } finally {
    RegExp.prototype.exec = own;
  }
  return [...slow.values()];
}

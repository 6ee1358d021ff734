// Work in lanes: one thread's deliveries one after another, threads side by side, only so many at once.

export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is at work or waiting. */
  idle(): Promise<void>;
}

export function createLanes(atOnce: number): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function slot<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot passes on without being free in between.
      if (next) next();
      else busy--;
    }
  }

  return {
    run(lane, work) {
      const before = tails.get(lane) ?? Promise.resolve();
      const mine = before.then(() => slot(work));
      const tail = mine.then(
        () => {},
        () => {},
      );
      tails.set(lane, tail);
      void tail.then(() => {
        if (tails.get(lane) === tail) tails.delete(lane);
      });
      return mine;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}

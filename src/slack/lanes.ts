// Work in lanes: what belongs to one lane is done one after another, lanes side by side. Who waits in one holds up no other.

export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is at work or waiting. */
  idle(): Promise<void>;
}

export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();

  return {
    run(lane, work) {
      const before = tails.get(lane) ?? Promise.resolve();
      const mine = before.then(work);
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

// What goes wrong between an app and Slack, when a test says so: limits, failures, stalls, lost answers.

export type Weather =
  /** 429 with this Retry-After; the method (in that channel, for posting) stays closed until then. */
  | { limited: number }
  /** Not done; this HTTP status. */
  | { status: number }
  /** Not done; Slack's own word for why. */
  | { error: string }
  /** Done, and answered only after so many milliseconds. */
  | { stalls: number }
  /** Not done: the connection ends without an answer. */
  | "dropped"
  /** Done, and its answer never arrives. */
  | "lost";

export interface WeatherReport {
  /** What happens to the next calls of this method, one after another. */
  next(method: string, ...weather: Weather[]): void;
  /** Asked at every call that has nothing planned; for storms. Null ends it. */
  storm(blow: ((method: string, channel: string) => Weather | null) | null): void;
  /** Calls of this method hang, undone and without an answer, until `release`. */
  hold(method: string): void;
  release(method: string): void;
}

export interface WeatherInside extends WeatherReport {
  /** Takes what is planned for this call. Waits while the method is held. */
  take(method: string, channel: string): Promise<Weather | null>;
  /** Calls that came although Slack had said to wait. */
  impatient: { method: string; channel: string; early: number }[];
}

/** `second` is how many milliseconds one second of a Retry-After lasts. */
export function createWeather(second: number): WeatherInside {
  const planned = new Map<string, Weather[]>();
  const closed = new Map<string, number>();
  const held = new Map<string, { gone: Promise<void>; open(): void }>();
  const impatient: WeatherInside["impatient"] = [];
  let storm: ((method: string, channel: string) => Weather | null) | null = null;

  return {
    impatient,
    next(method, ...weather) {
      planned.set(method, [...(planned.get(method) ?? []), ...weather]);
    },
    storm(blow) {
      storm = blow;
    },
    hold(method) {
      let open = (): void => {};
      const gone = new Promise<void>((resolve) => {
        open = resolve;
      });
      held.set(method, { gone, open });
    },
    release(method) {
      held.get(method)?.open();
      held.delete(method);
    },
    async take(method, channel) {
      await held.get(method)?.gone;
      // Posting is limited channel by channel, everything else method by method.
      const door = method === "chat.postMessage" ? `${method} ${channel}` : method;
      const left = (closed.get(door) ?? 0) - Date.now();
      if (left > 0) {
        impatient.push({ method, channel, early: left });
        return { limited: Math.ceil(left / second) };
      }
      const weather = planned.get(method)?.shift() ?? storm?.(method, channel) ?? null;
      if (weather && typeof weather === "object" && "limited" in weather)
        closed.set(door, Date.now() + weather.limited * second);
      return weather;
    },
  };
}

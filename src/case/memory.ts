// Cases kept in memory: for tests, and for walks that keep nothing.
import type { Quote } from "../diagnose/verdict-type.ts";
import type { Playbook } from "../playbook/schema.ts";
import type { CaseRecord, CaseStore, Place } from "./store.ts";

export function createMemoryStore(): CaseStore {
  const cases = new Map<string, CaseRecord>();
  const places = new Map<string, string>();
  const playbooks = new Map<string, Playbook>();
  const quotes = new Map<string, Quote[]>();
  const load = (key: string) => structuredClone(cases.get(key));

  return {
    async open(fresh) {
      const place = placeKey(fresh.place);
      const there = load(places.get(place) ?? "");
      if (there) return { opened: false, found: there };
      const key = caseKey(fresh.place.team, fresh.id);
      if (cases.has(key)) throw new Error(`the case id ${fresh.id} is taken by another place`);
      cases.set(key, structuredClone(fresh));
      places.set(place, key);
      return { opened: true, found: structuredClone(fresh) };
    },
    async load(team, id) {
      return load(caseKey(team, id));
    },
    async at(place) {
      return load(places.get(placeKey(place)) ?? "");
    },
    async thatRead({ team, channel, from, to, by }) {
      const found = [...cases.values()].filter(
        ({ place, entries }) =>
          place.team === team &&
          place.channel === channel &&
          entries.some(
            (entry) =>
              (entry.kind === "paste" || entry.kind === "seen") &&
              entry.message !== null &&
              entry.message >= from &&
              entry.message <= to &&
              (by === undefined || entry.by.id === by),
          ),
      );
      return structuredClone(found.sort((a, b) => a.openedAt.localeCompare(b.openedAt)).at(-1));
    },
    async openWith({ team, channel, fault, since }) {
      const found = [...cases.values()].filter(
        (one) =>
          one.place.team === team &&
          one.place.channel === channel &&
          one.fault === fault &&
          one.closedAt === null &&
          (one.entries.at(-1)?.at ?? one.openedAt) >= since,
      );
      return structuredClone(found.sort((a, b) => a.openedAt.localeCompare(b.openedAt)).at(-1));
    },
    async append(team, id, entry, closedAt) {
      const record = cases.get(caseKey(team, id));
      if (record?.entries.length !== entry.seq) return false;
      record.entries.push(structuredClone(entry));
      record.closedAt = closedAt;
      return true;
    },
    async keepPlaybook(playbook) {
      if (!playbooks.has(playbook.hash)) playbooks.set(playbook.hash, structuredClone(playbook));
    },
    async playbook(hash) {
      return playbooks.get(hash);
    },
    async keepQuotes(team, id, hash, kept) {
      quotes.set(caseKey(team, id, hash), structuredClone(kept));
    },
    async quotes(team, id, hash) {
      return structuredClone(quotes.get(caseKey(team, id, hash)) ?? []);
    },
    async close() {},
  };
}

function caseKey(...parts: string[]): string {
  return JSON.stringify(parts);
}

function placeKey({ enterprise, team, channel, thread }: Place): string {
  return caseKey(enterprise, team, channel, thread);
}

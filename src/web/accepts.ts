// What a browser says it would rather have: Accept-Language, Accept-Encoding.
import { LANGUAGES, type Language } from "../facts/language.ts";

/** Names in the order of their weights; those of weight 0 are refused. */
function preferences(header: string | null): { name: string; weight: number }[] {
  const parts = (header ?? "").split(",").map((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    return { name, weight: Number.isFinite(weight) ? weight : 0 };
  });
  return parts.filter(({ name }) => name !== "").sort((a, b) => b.weight - a.weight);
}

export function languageFor(header: string | null, otherwise: Language): Language {
  for (const { name, weight } of preferences(header)) {
    const language = LANGUAGES.find((one) => one === name.split("-")[0]);
    if (language && weight > 0) return language;
  }
  return otherwise;
}

export function acceptsGzip(header: string | null): boolean {
  const found = preferences(header).find(({ name }) => name === "gzip" || name === "*");
  return found !== undefined && found.weight > 0;
}

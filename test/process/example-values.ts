/** Recorded examples begin at this time. */
const exampleNowMs = Date.parse("2026-11-02T09:30:00.000Z");
const hourMs = 3_600_000;
const [itemsMax, textMax, fileMax] = [2, 400, 1000];

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Where test servers are, and where an installation may be. */
const localhost = /^http:\/\/localhost:\d+/;
const exampleOrigin = "https://portolan.example.eu";
/** The secret part of an API key, or of an ID made of random characters. */
const random = /(?<=^(?:ptl|resp|cmpl|chatcmpl|msg|rs|whsec)[-_])[0-9A-Za-z_-]{20,}$/;

/**
 * Makes answers of a server into examples that are the same in each recording, as far as they can be: IDs are numbered,
 * times near `nowMs` are moved, random characters replaced, and lists and texts shortened.
 */
export function exampleMaker(nowMs: number): (answer: unknown) => unknown {
  const ids = new Map<string, string>();
  const movedBy = exampleNowMs - nowMs;
  const isNear = (ms: number) => Math.abs(ms - nowMs) < hourMs;
  const numbered = (id: string) => {
    if (/^0190a000-/.test(id)) return id;
    const known = ids.get(id) ?? `0190a000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  const moved = (ms: number) => Math.round((ms + movedBy) / 1000) * 1000;
  function text(value: string): string {
    if (isTime.test(value)) {
      const ms = Date.parse(value);
      return ms > nowMs - hourMs ? new Date(moved(ms)).toISOString() : value;
    }
    const plain = value
      .replaceAll(uuid, numbered)
      .replace(localhost, exampleOrigin)
      .replace(random, (found) => "x".repeat(found.length));
    if (/^[\w+/]+=*$/.test(plain)) return plain.length > fileMax ? plain.slice(0, textMax) : plain;
    return plain.length > textMax ? `${plain.slice(0, textMax)}…` : plain;
  }
  function number(value: number): number {
    if (Number.isInteger(value) && isNear(value * 1000)) return moved(value * 1000) / 1000;
    return isNear(value) ? moved(value) : value;
  }
  return function example(value: unknown): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return number(value);
    if (Array.isArray(value)) return value.slice(0, itemsMax).map(example);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), example(member)]));
  };
}

const storageKey = "portolan-time-zone";
const minuteMs = 60_000;

const known = new Map<string, boolean>();

/** Remembered, because every time that is shown asks for it. */
function isZone(name: string): boolean {
  const found = known.get(name);
  if (found !== undefined) return found;
  let isValid = true;
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name }).format();
  } catch {
    isValid = false;
  }
  known.set(name, isValid);
  return isValid;
}

/** The zone that the person chose in this browser; undefined: the browser's own. */
export function timeZone(): string | undefined {
  const stored = globalThis.localStorage?.getItem(storageKey);
  return stored && isZone(stored) ? stored : undefined;
}

/** Stores the zone; null: the browser's own. The page has to be loaded again to show times in it. */
export function chooseTimeZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, zone);
}

/** The browser's own zone, such as `Europe/Berlin`. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every zone that can be chosen, UTC first. */
export const timeZones = (): readonly string[] => [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC"),
];

/** How far a zone is ahead of UTC at a time, in ms. */
function offsetMs(zone: string, ms: number): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    timeZoneName: "longOffset",
  }).formatToParts(ms);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

/** The time that a text such as `2026-11-20T08:30` names in the chosen zone, in ms; NaN if it is no time. */
export function msOfLocal(local: string): number {
  const zone = timeZone();
  if (zone === undefined) return Date.parse(local);
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return Number.NaN;
  // The offset of the result counts, which may be another one within hours of a change.
  return asUtc - offsetMs(zone, asUtc - offsetMs(zone, asUtc));
}

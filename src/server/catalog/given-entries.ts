import type { EntrySection } from "#contract/catalogue-entry.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import { nameFields, nameOf } from "./overlay.ts";

/** An entry of a request, and where it is in it. */
export interface Given {
  readonly section: EntrySection;
  readonly name: string;
  readonly body: Prisma.InputJsonObject;
  readonly place: string;
}

export const wrong = (param: string, message: string): AppError =>
  new AppError("BAD_REQUEST", `${param}: ${message}`, { param });

/** Reads an entry at a place of a request. Throws BAD_REQUEST with the place. */
export function given(section: EntrySection, fields: object, place: string): Given {
  const { nameCharsMax, entryCharsMax } = limits.catalogue;
  // The schema accepts JSON only, of which Prisma has a type of its own.
  const body = fields as Prisma.InputJsonObject;
  const name = nameOf(section, body);
  if (name === null)
    throw wrong(place, `needs ${nameFields[section].filter((field) => field !== "variant").join(" and ")}`);
  if (name.length > nameCharsMax) throw wrong(place, `has a name of more than ${nameCharsMax} characters`);
  if (JSON.stringify(body).length > entryCharsMax)
    throw wrong(place, `is longer than ${entryCharsMax} characters`);
  return { section, name, body, place };
}

/** Refuses addresses that no request can be sent to, each once, so that nobody adds a provider in vain. */
export async function assertReachable(outbound: Outbound, entries: readonly Given[]): Promise<void> {
  const checked = new Set<string>();
  for (const { body, place } of entries) {
    const { base_url: address } = body;
    if (typeof address !== "string" || !URL.canParse(address)) continue;
    const url = new URL(address);
    if (checked.has(url.origin) && !url.username && !url.password) continue;
    checked.add(url.origin);
    const refusal = await outbound.refusal(url);
    if (refusal !== null) throw wrong(`${place}.base_url`, refusal);
  }
}

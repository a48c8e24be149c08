import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { storable } from "#server/platform/storable.ts";

/** The tags of organisations that have any. */
export type TagIndex = ReadonlyMap<string, readonly string[]>;

/** What a request says about itself. */
export interface Tagged {
  readonly endUser: string | null;
  readonly app: string | null;
  readonly metadata: unknown;
}

const valueCharsMax = 200;
const metadataPrefix = "metadata.";

/** A value as it is stored: one line without secrets. Null if nothing is left of it. */
const cleaned = (value: unknown): string | null => {
  if (typeof value !== "string") return null;
  const line = storable(maskSecrets(value)).replace(/\p{Cc}+/gu, " ");
  return line.trim().slice(0, valueCharsMax).toWellFormed() || null;
};

function saidOf(name: string, { endUser, app, metadata }: Tagged): unknown {
  if (name === "end_user") return endUser;
  if (name === "app") return app;
  const key = name.slice(metadataPrefix.length);
  const own = typeof metadata === "object" && metadata !== null && Object.hasOwn(metadata, key);
  return own ? (metadata as Readonly<Record<string, unknown>>)[key] : null;
}

/**
 * The values of a request for these tags, as they are stored. Undefined without any. `known` are values of it that
 * were read before.
 */
export function tagValuesOf(
  names: Iterable<string> | undefined,
  request: Tagged,
  known?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if (names === undefined) return undefined;
  const values: Record<string, string> = {};
  let count = 0;
  for (const name of names) {
    const value = known?.[name] ?? cleaned(saidOf(name, request));
    if (value === null) continue;
    values[name] = value;
    count++;
  }
  return count === 0 ? undefined : values;
}

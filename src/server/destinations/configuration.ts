import { secretMask } from "#contract/destination.ts";
import { secretReferencePattern } from "#contract/secret-reference.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { AppError } from "#server/platform/errors.ts";
import { type ConfigValues, canonical, isMask, readConfig } from "./config.ts";
import type { DestinationDeps } from "./deps.ts";
import { findDestination } from "./destination-access.ts";
import { configOf } from "./destination-rows.ts";
import { kindOf } from "./registry.ts";

/** In place of a secret that differs from the stored one. */
export const changedSecret = `${secretMask} (changed)`;

export interface ReferencedConfig {
  readonly type: string;
  /** The complete settings, with references in place of secrets. */
  readonly config: ConfigValues;
  /** The destination that has them already; null for a new one. */
  readonly id: string | null;
  /** The value of a reference, as far as it is known. */
  readonly secretOf: (reference: string) => string | undefined;
}

type Leaf = (value: unknown, stored: unknown, path: string) => unknown;

const isObject = (value: unknown): value is ConfigValues =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Replaces each secret: texts, or the values of an object such as headers. */
function mapSecrets(secrets: ReadonlySet<string>, given: ConfigValues, stored: ConfigValues, leaf: Leaf) {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!secrets.has(name) || value === null) return [name, value];
      if (!isObject(value)) return [name, leaf(value, stored[name], name)];
      const known = isObject(stored[name]) ? stored[name] : {};
      const inner = Object.entries(value).map(([key, part]) => [
        key.toLowerCase(),
        leaf(part, known[key.toLowerCase()], `${name}.${key}`),
      ]);
      return [name, Object.fromEntries(inner)];
    }),
  );
}

function assertReference(value: unknown, path: string): string {
  if (typeof value === "string" && secretReferencePattern.test(value)) return value;
  const param = `config.${path}`;
  const message = "must be env:NAME or file:PATH, because the file contains no secrets";
  throw new AppError("BAD_REQUEST", `${param}: ${message}`, { param });
}

/**
 * The settings with values in place of references. A value that is not known is the mask, which keeps the stored one.
 * Settings that the destination has in addition are null, which removes them. Throws BAD_REQUEST for a secret that is
 * no reference.
 */
export async function resolvedConfig(
  { database, sealer }: DestinationDeps,
  caller: Authorized<"broadcast:read">,
  { type, config, id, secretOf }: ReferencedConfig,
): Promise<{ readonly config: ConfigValues; readonly stored: ConfigValues }> {
  const kind = kindOf(type);
  const stored = id === null ? {} : configOf(sealer, await findDestination(database.prisma, caller, id));
  const given = mapSecrets(kind.secrets, canonical(kind, config), stored, (value, _, path) => {
    return secretOf(assertReference(value, path)) ?? secretMask;
  });
  const removed = Object.keys(stored).filter((name) => !(name in given));
  return { config: { ...given, ...Object.fromEntries(removed.map((name) => [name, null])) }, stored };
}

/**
 * The settings as the API shows them, for comparison: in the form of the type, with masked secrets. A secret that
 * differs from the stored one is marked; one whose value is not known counts as unchanged. Throws BAD_REQUEST naming
 * the field.
 */
export async function comparableConfig(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:read">,
  referenced: ReferencedConfig,
): Promise<ConfigValues> {
  const { secrets, ...kind } = kindOf(referenced.type);
  const { config, stored } = await resolvedConfig(deps, caller, referenced);
  const masked: Leaf = (value, known) => (isMask(value) || value === known ? secretMask : changedSecret);
  let isComplete = true;
  mapSecrets(secrets, config, stored, (value, known) => {
    if (isMask(value) && known === undefined) isComplete = false;
    return value;
  });
  // Without its secrets a new destination cannot be checked yet.
  const read = isComplete ? readConfig({ ...kind, secrets }, config, stored) : config;
  return mapSecrets(secrets, read, stored, masked);
}

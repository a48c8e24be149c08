import { z } from "zod";
import { secretMask } from "#contract/destination.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
import { maskSecretsIn } from "#server/platform/mask-secrets.ts";
import type { DestinationKind } from "./kind.ts";

export type ConfigValues = Readonly<Record<string, unknown>>;
const Values = z.record(z.string(), z.unknown());

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const refuse = (message: string, field: string): AppError =>
  new AppError("BAD_REQUEST", `config.${field}: ${message}`, {
    param: `config.${field}`,
    metadata: { issues: [{ path: `config.${field}`, message }] },
  });

/** The fields under their standard names, whatever their spelling. */
export function canonical({ config, aliases = {} }: DestinationKind, given: ConfigValues): ConfigValues {
  const own = (name: string): string => {
    if (Object.hasOwn(config.shape, name)) return name;
    const known = aliases[name] ?? aliases[camelCase(name)] ?? camelCase(name);
    return Object.hasOwn(config.shape, known) ? known : name;
  };
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [own(name), value]));
}

/** Secrets are texts, except headers, where each value is a secret. */
export const isMask = (value: unknown): boolean => value === secretMask;

function unmasked(name: string, given: unknown, stored: unknown): unknown {
  if (isMask(given)) {
    if (stored === undefined) throw refuse("is the mask of a secret; send the secret itself", name);
    return stored;
  }
  const inner = Values.safeParse(given).data;
  if (!inner) return given;
  const known = Values.safeParse(stored).data ?? {};
  return Object.fromEntries(
    Object.entries(inner).map(([key, value]) => [
      key,
      unmasked(`${name}.${key}`, value, known[key.toLowerCase()]),
    ]),
  );
}

/** Reads a configuration by its type's schema. Throws BAD_REQUEST naming `config.<field>`. */
export function readConfig(
  kind: DestinationKind,
  given: ConfigValues,
  stored: ConfigValues = {},
): ConfigValues {
  const merged: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(canonical(kind, given))) {
    if (value === null) delete merged[name];
    else merged[name] = kind.secrets.has(name) ? unmasked(name, value, stored[name]) : value;
  }
  const parsed = kind.config.safeParse(merged);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ["config", ...issue.path] }));
  throw validationError(new z.ZodError(issues));
}

/** Secrets must be sent again for a new host: otherwise an editor could have them sent to a host of their own. */
export function assertSecretsForNewAddress(
  kind: DestinationKind,
  before: ConfigValues,
  after: ConfigValues,
  given: ConfigValues,
): void {
  const originOf = (config: ConfigValues) => new URL(kind.address(config).url).origin;
  if (originOf(before) === originOf(after)) return;
  const sent = canonical(kind, given);
  const retained = [...kind.secrets].find(
    (name) => after[name] !== undefined && (sent[name] === undefined || hasMask(sent[name])),
  );
  if (retained) throw refuse("must be sent again, because requests would now go to another host", retained);
}

function hasMask(value: unknown): boolean {
  return isMask(value) || Object.values(Values.safeParse(value).data ?? {}).some(isMask);
}

export interface SplitConfig {
  readonly plain: ConfigValues;
  readonly secrets: ConfigValues;
}

/** The sealed and the plain part of a configuration. Throws BAD_REQUEST for an API key in the plain part. */
export function splitConfig({ secrets }: DestinationKind, config: ConfigValues): SplitConfig {
  const of = (secret: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => secrets.has(name) === secret));
  const plain = of(false);
  for (const [name, value] of Object.entries(plain))
    if (maskSecretsIn(value) !== value)
      throw refuse("must not contain an API key: it is not stored as a secret", name);
  return { plain, secrets: of(true) };
}

/** Shows which secrets are set, masked. */
export function hideSecrets(secrets: ConfigValues): ConfigValues {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => {
      const inner = Values.safeParse(value).data;
      return [name, inner ? hideSecrets(inner) : secretMask];
    }),
  );
}

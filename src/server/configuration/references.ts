import type { Values } from "#contract/configuration-form.ts";
import { secretMask } from "#contract/destination.ts";
import { secretReferencePattern } from "#contract/secret-reference.ts";
import { type Kind, textOf } from "./kind.ts";
import { isRecord } from "./values.ts";

type SecretKind = Pick<Kind, "secretFields">;

const referenceCharsMax = 180;

function referencesIn(value: unknown): string[] {
  if (typeof value === "string") return secretReferencePattern.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isRecord(value) ? Object.values(value).flatMap(referencesIn) : [];
}

/** The references that a resource has in place of secrets. */
export const referencesOf = ({ secretFields }: SecretKind, values: Values): string[] =>
  secretFields.flatMap((field) => referencesIn(values[field]));

/** The reference that an exported file has in place of a secret, derived from names so that it is always the same. */
function referenceFor(path: readonly string[], taken: Set<string>): string {
  const words = path
    .join("_")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_");
  const base = `env:PORTOLAN_SECRET_${words.toUpperCase()}`.slice(0, referenceCharsMax);
  let reference = base;
  for (let number = 2; taken.has(reference); number++) reference = `${base}_${number}`;
  taken.add(reference);
  return reference;
}

/** Replaces masked secrets by references that are not taken yet. */
export function withReferences({ secretFields }: SecretKind, values: Values, taken: Set<string>): Values {
  const path = [textOf(values.workspace), textOf(values.name), textOf(values.type)].filter(Boolean);
  const replace = (value: unknown, at: readonly string[]): unknown => {
    if (value === secretMask) return referenceFor([...path, ...at], taken);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, replace(inner, [...at, name])]),
    );
  };
  const secrets = secretFields
    .filter((field) => field in values)
    .map((field) => [field, replace(values[field], field === "config" ? [] : [field])]);
  return { ...values, ...Object.fromEntries(secrets) };
}

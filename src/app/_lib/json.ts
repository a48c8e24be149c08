/** Reads untrusted JSON without a schema library in the bundle. Each returns an empty value for anything else. */
export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

// Without zod, because the console's list of budgets loads it.

/** What distinguishes requests besides keys of `metadata`. */
export const plainDimensions = ["workspace", "key", "person", "model", "end_user"] as const;
export type PlainDimension = (typeof plainDimensions)[number];

export const isPlainDimension = (name: string): name is PlainDimension =>
  plainDimensions.some((plain) => plain === name);

/** Before the key, in the name of a dimension. */
export const metadataPrefix = "metadata.";

/** Keys of `metadata` are one line. The end user may contain line breaks, so it comes last. */
const placeOf = (name: string): number => {
  if (name === "end_user") return plainDimensions.length;
  return isPlainDimension(name) ? plainDimensions.indexOf(name) : plainDimensions.length - 1;
};

/** The order of dimensions, and so of the values of a counter: as above, keys of `metadata` by name before the end user. */
export const compareDimensions = (a: string, b: string): number =>
  placeOf(a) - placeOf(b) || (a < b ? -1 : a === b ? 0 : 1);

/** The dimensions that a budget counts separately, in this order. */
export const separateDimensions = (
  dimensions: Iterable<{ readonly dimension: string; readonly value: string | null }>,
): string[] =>
  [...dimensions]
    .filter(({ value }) => value === null)
    .map(({ dimension }) => dimension)
    .sort(compareDimensions);

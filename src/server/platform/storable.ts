/** Text as PostgreSQL can store it: without U+0000, and with U+FFFD for halves of surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "");

/** JSON in which every text and every name is storable, whatever was in it. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "string") return storable(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, held]) => [storable(name), held]));
  });

/**
 * A condition on a text column: it contains a text, in any case. Prisma passes `%`, `_` and `\` to LIKE as they are,
 * where they are patterns.
 */
export const containing = (text: string) =>
  ({ contains: text.replace(/[\\%_]/g, String.raw`\$&`), mode: "insensitive" }) as const;

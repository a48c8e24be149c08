/** JSON whose bigints are decimal text, which PostgreSQL reads as numbers of any size. */
export const jsonOfSums = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? inner.toString() : inner));

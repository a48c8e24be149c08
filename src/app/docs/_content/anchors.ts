/** The ID of a heading, as GitHub makes it: `The body's "model"` becomes `the-bodys-model`. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Distinct IDs of the headings of one document, in their order. */
export function anchorsOf(headings: readonly string[]): string[] {
  const times = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = anchorOf(heading);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

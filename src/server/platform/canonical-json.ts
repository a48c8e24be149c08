/** Names that JavaScript lists before all others, in the order of their numbers. */
const arrayIndex = /^(0|[1-9]\d{0,9})$/;

/** Whether `JSON.stringify` writes a value as canonical JSON (RFC 8785), because its names are in order already. */
export function isInOrder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isInOrder(item)) return false;
    return true;
  }
  let previous = "";
  for (const [name, inner] of Object.entries(value)) {
    if (name < previous || arrayIndex.test(name) || !isInOrder(inner)) return false;
    previous = name;
  }
  return true;
}

/** The canonical JSON of a value (RFC 8785): names in the order of their UTF-16 code units, and no spaces. */
export function canonicalText(value: unknown): string {
  if (typeof value !== "object" || value === null || isInOrder(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`).join()}}`;
}

import type { PresetVersion } from "#contract/preset.ts";

/** What a version sets, by field, as text. */
function fieldsOf({ system_prompt: prompt, config }: Pick<PresetVersion, "system_prompt" | "config">) {
  const entries = Object.entries({ system_prompt: prompt, ...config }).filter(([, value]) => value != null);
  return new Map(
    entries.map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value, null, 1),
    ]),
  );
}

/** One field in which two versions differ; null where one does not set it. */
export interface Difference {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields in which two versions differ. */
export function differencesOf(
  before: Pick<PresetVersion, "system_prompt" | "config">,
  after: Pick<PresetVersion, "system_prompt" | "config">,
): Difference[] {
  const [old, given] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...given.keys()])]
    .map((field) => ({ field, before: old.get(field) ?? null, after: given.get(field) ?? null }))
    .filter((row) => row.before !== row.after);
}

/** A line of a text, and whether it is only in the old or the new one. */
export interface Line {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
}

/** Longer texts are shown as completely replaced: comparing them takes too long. */
const linesMax = 1_000;

/** The lines of two texts in one list: the longest common sequence stays, everything else is removed or added. */
export function lineDifferences(before: string | null, after: string | null): Line[] {
  const [old, given] = [before?.split("\n") ?? [], after?.split("\n") ?? []];
  const mark = (change: Line["change"]) => (text: string) => ({ change, text });
  if (old.length > linesMax || given.length > linesMax)
    return [...old.map(mark("removed")), ...given.map(mark("added"))];
  // The length of the longest common sequence of the lines from each pair of places on.
  const common = Array.from({ length: old.length + 1 }, () => new Array<number>(given.length + 1).fill(0));
  const at = (row: number, column: number) => common[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = given.length - 1; column >= 0; column--) {
      const longest =
        old[row] === given[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      (common[row] ?? [])[column] = longest;
    }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < given.length) {
    const [left, right] = [old[row], given[column]];
    if (left !== undefined && left === right) {
      lines.push({ change: "same", text: left });
      row++;
      column++;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ change: "removed", text: left });
      row++;
    } else if (right !== undefined) {
      lines.push({ change: "added", text: right });
      column++;
    }
  }
  return lines;
}

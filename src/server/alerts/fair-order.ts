import { clock } from "#server/platform/clock.ts";

interface Fairness<Item> {
  readonly groupOf: (item: Item) => string;
  /** What one group may take. Once it is used up, the rest of the group is left out. */
  readonly perGroupMs: number;
  /** Moves where each group starts, so that what was left out is not the same every time. */
  readonly turn: number;
  readonly signal?: AbortSignal | undefined;
  readonly now?: () => number;
}

interface Group<Item> {
  readonly waiting: Item[];
  usedMs: number;
}

/** Runs items one after another, always of the group that took the least time. Returns those that were left out. */
export async function runFairly<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  { groupOf, perGroupMs, turn, signal, now = clock.monotonicMs }: Fairness<Item>,
): Promise<Item[]> {
  const groups = [...Map.groupBy(items, groupOf).values()].map((members): Group<Item> => {
    const start = turn % members.length;
    return { waiting: [...members.slice(start), ...members.slice(0, start)], usedMs: 0 };
  });
  const isNext = ({ waiting, usedMs }: Group<Item>) => waiting.length > 0 && usedMs < perGroupMs;
  while (!signal?.aborted) {
    const first = groups
      .filter(isNext)
      .reduce<Group<Item> | null>(
        (least, group) => (least && least.usedMs <= group.usedMs ? least : group),
        null,
      );
    const item = first?.waiting.shift();
    if (!first || item === undefined) break;
    const startedMs = now();
    await run(item);
    first.usedMs += now() - startedMs;
  }
  return groups.flatMap(({ waiting }) => waiting);
}

/** When each id was used last, of uses with times as ISO 8601 text. */
export function latestUse(
  uses: Iterable<readonly [id: string | null | undefined, at: string]>,
): { id: string; at: string }[] {
  const latest = new Map<string, string>();
  for (const [id, at] of uses) {
    if (id === null || id === undefined) continue;
    const known = latest.get(id);
    if (known === undefined || known < at) latest.set(id, at);
  }
  return [...latest].map(([id, at]) => ({ id, at }));
}

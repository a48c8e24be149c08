import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  StoredCompletion,
  StoredCompletionList,
  StoredCompletionQuery,
} from "#contract/stored-completions.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { scopeOf, storedWithin } from "../responses/response-access.ts";
import { completionRowId } from "./completion-id.ts";
import { type CompletionDeps, completionOf } from "./find-completion.ts";
import { type CompletionMetadata, openMetadata } from "./sealed-completion.ts";

const { searchedTogether, searchedMax } = limits.completions;

interface Search {
  /** A condition that every row must meet. */
  readonly within: ReturnType<typeof storedWithin> & { readonly model?: string };
  readonly order: "asc" | "desc";
  /** The row after which the page begins. */
  readonly after: string | undefined;
}

const beyond = (after: string | undefined, order: Search["order"]) =>
  after === undefined ? {} : { id: order === "asc" ? { gt: after } : { lt: after } };

/** Whether a completion has all these pairs. */
const hasPairs = (held: CompletionMetadata, wanted: CompletionMetadata): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(held, key) && held[key] === value);

/** The first ids of a search, `count` at most. */
async function idsOf({ database }: CompletionDeps, { within, order, after }: Search, count: number) {
  const rows = await database.prisma.stored_completion.findMany({
    where: { AND: [within, beyond(after, order)] },
    orderBy: { id: order },
    take: count,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** The same with key-value pairs. Because they are sealed, rows are decrypted and compared, one batch at a time. */
async function idsWithPairs(
  { database, sealer }: CompletionDeps,
  { within, order, after }: Search,
  count: number,
  wanted: CompletionMetadata,
): Promise<string[]> {
  const ids: string[] = [];
  let last = after;
  for (let searched = 0; searched < searchedMax; searched += searchedTogether) {
    const rows = await database.prisma.stored_completion.findMany({
      where: { AND: [within, beyond(last, order)] },
      orderBy: { id: order },
      take: searchedTogether,
      select: { id: true, org_id: true, metadata: true },
    });
    for (const row of rows) if (hasPairs(openMetadata(sealer, row), wanted)) ids.push(row.id);
    if (ids.length >= count || rows.length < searchedTogether) return ids.slice(0, count);
    last = rows.at(-1)?.id;
    await nextTurn();
  }
  throw new AppError(
    "BAD_REQUEST",
    `metadata: fewer completions than the page has were found among ${searchedMax}; set model, a smaller limit, or after`,
    { param: "metadata" },
  );
}

/** As many of the ids, from the first on, as may be decrypted for one answer. */
async function idsWithinBytes({ database }: CompletionDeps, ids: readonly string[]): Promise<Set<string>> {
  const sizes = await database.prisma.$queryRaw<{ id: string; bytes: number }[]>`
    select id, octet_length(completion) as bytes from stored_completion where id = any(${ids}::uuid[])`;
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  const taken = new Set<string>();
  let bytes = 0;
  for (const id of ids) {
    bytes += bytesOf.get(id) ?? 0;
    if (taken.size > 0 && bytes > limits.responses.sealedBytesMax) break;
    taken.add(id);
  }
  return taken;
}

/** `GET /chat/completions`: a page may be shorter than `limit` if its completions are long. */
export async function listCompletions(
  deps: CompletionDeps,
  caller: Authorized<"inference:use">,
  { after, limit, order, model, metadata }: StoredCompletionQuery,
): Promise<StoredCompletionList> {
  const place = after === undefined ? undefined : completionRowId(after);
  if (place === null)
    throw new AppError("BAD_REQUEST", "after: must be the id of a chat completion", { param: "after" });
  await deps.completionSpool.flushed();
  const within = { ...storedWithin(scopeOf(caller)), ...(model !== undefined && { model }) };
  const search: Search = { within, order, after: place };
  const hasFilter = metadata !== undefined && Object.keys(metadata).length > 0;
  const found = await (hasFilter
    ? idsWithPairs(deps, search, limit + 1, metadata)
    : idsOf(deps, search, limit + 1));
  const taken = await idsWithinBytes(deps, found.slice(0, limit));
  const rows = await deps.database.prisma.stored_completion.findMany({
    where: { AND: [within, { id: { in: [...taken] } }] },
    orderBy: { id: order },
    omit: { messages: true },
  });
  const data: StoredCompletion[] = [];
  for (const row of rows) {
    data.push(completionOf(deps, row));
    if (row.completion.length > limits.stream.yieldEveryBytes) await nextTurn();
  }
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: taken.size < found.length,
  };
}

import type { StoredCompletion } from "#contract/stored-completions.ts";
import type { Caller } from "#server/access/caller.ts";
import { notFound } from "#server/platform/errors.ts";
import { mayOnlyRead, type ResponseUse, scopeOf, storedWithin } from "../responses/response-access.ts";
import type { ResponseDeps } from "../responses/response-deps.ts";
import { completionRowId } from "./completion-id.ts";
import { openCompletion, openMetadata } from "./sealed-completion.ts";

export type CompletionDeps = Pick<ResponseDeps, "database" | "sealer" | "completionSpool">;

export const noSuchCompletion = () => notFound("chat completion", "completion_id");

/**
 * The row of a chat completion the caller may use. Throws NOT_FOUND, also for those of others, and FORBIDDEN for one
 * that may be read and not changed.
 */
export async function findCompletion(
  { database, completionSpool }: Pick<CompletionDeps, "database" | "completionSpool">,
  caller: Caller,
  completionId: string,
  use: ResponseUse = "read",
) {
  const id = completionRowId(completionId);
  if (id === null) throw noSuchCompletion();
  await completionSpool.flushed(id);
  const find = (by: ResponseUse) =>
    database.prisma.stored_completion.findFirst({ where: { id, ...storedWithin(scopeOf(caller, by)) } });
  const row = await find(use);
  if (row) return row;
  throw use === "change" && (await find("read")) ? mayOnlyRead("chat completions") : noSuchCompletion();
}

interface Row {
  readonly id: string;
  readonly org_id: string;
  readonly metadata: string;
  readonly completion: string;
}

/** A stored chat completion as the API shows it. */
export const completionOf = ({ sealer }: Pick<CompletionDeps, "sealer">, row: Row): StoredCompletion => {
  // The settings were stored with the completion, whose type names only its own members.
  const stored = openCompletion(sealer, row) as StoredCompletion;
  return { ...stored, metadata: openMetadata(sealer, row) };
};

import { z } from "zod";
import { type Api, carriersOf } from "#contract/inference-operations.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { ownRows } from "#server/access/scope.ts";
import { type Database, readColumns } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import type { Ask, RouteContext } from "./router.ts";
import type { Subject } from "./rule-index.ts";

const columns = {
  id: true,
  user_id: true,
  api_key_id: true,
  operation: true,
  model_requested: true,
  model: true,
  endpoint: true,
  parameters: true,
  input_modalities: true,
  output_modalities: true,
  prompt_tokens: true,
  completion_tokens: true,
  cached_tokens: true,
  cache_write_tokens: true,
  reasoning_tokens: true,
  search_units: true,
  cost_pico_eur: true,
  started_at: true,
} satisfies Prisma.generationSelect;

/** A recorded generation without content: its request parameters and its usage. */
export type RecordedGeneration = Prisma.generationGetPayload<{ select: typeof columns }>;

/** What the record keeps of a request's own preferences; the other keys are names of parameters it used. */
const RecordedParameters = z
  .object({
    models: z.array(z.string()).optional(),
    preset: z.string().optional(),
    provider: ProviderPreferences.optional(),
    rule_id: z.string().optional(),
    rule_name: z.string().optional(),
    max_tokens: z.number().optional(),
    n: z.number().optional(),
    best_of: z.number().optional(),
  })
  .catchall(z.unknown());

/** What a recorded request asked of routing, and names of parameters that it used. */
export function askOf(row: Pick<RecordedGeneration, "id" | "model_requested" | "parameters">): {
  readonly ask: Ask;
  readonly maxTokens: number | null;
  readonly parameters: readonly string[];
} {
  const recorded = readColumns(row, { parameters: [RecordedParameters, {}] }).parameters;
  const { models, provider, rule_id, rule_name, max_tokens: maxTokens, n, best_of, ...others } = recorded;
  return {
    ask: { model: row.model_requested, models, provider, rule_id, rule_name },
    maxTokens: maxTokens ?? null,
    parameters: Object.keys(others),
  };
}

/** A recorded request as it would be routed on a day (`YYYY-MM-DD`), if its key is at this place. */
export function requestAgain(
  row: RecordedGeneration,
  { orgId, workspaceId }: Pick<Subject, "orgId" | "workspaceId">,
  today: string,
): { readonly ask: Ask; readonly context: RouteContext } {
  const { ask, maxTokens, parameters } = askOf(row);
  const context = {
    subject: { orgId, userId: row.user_id, keyId: row.api_key_id, workspaceId },
    // Records contain only names of operations.
    apis: carriersOf(row.operation as Api),
    today,
    needs: {
      promptTokens: row.prompt_tokens,
      maxTokens,
      parameters,
      // Empty in records of earlier versions.
      inputModalities: row.input_modalities,
      outputModalities: row.output_modalities,
    },
    // With balancing, the endpoint that served it comes first.
    sessionEndpoint: row.endpoint ?? undefined,
  };
  return { ask, context };
}

/** Small enough that live requests wait only some milliseconds for one batch. */
const batchRows = 250;

/** The caller's generations that some endpoint served, the newest first, in batches by keyset. */
export async function* recordedGenerations(
  { prisma }: Database,
  caller: Caller,
  sinceMs: number,
): AsyncGenerator<readonly RecordedGeneration[]> {
  let last: RecordedGeneration | undefined;
  do {
    const before: Prisma.generationWhereInput = last
      ? {
          OR: [{ started_at: { lt: last.started_at } }, { started_at: last.started_at, id: { gt: last.id } }],
        }
      : {};
    const rows = await prisma.generation.findMany({
      where: {
        ...ownRows(caller),
        started_at: { gte: isoTime(sinceMs) },
        endpoint: { not: null },
        ...before,
      },
      select: columns,
      orderBy: [{ started_at: "desc" }, { id: "asc" }],
      take: batchRows,
    });
    if (rows.length > 0) yield rows;
    last = rows.length === batchRows ? rows.at(-1) : undefined;
  } while (last);
}

import type { GenerationDetail, GenerationReplay } from "#contract/generation.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { tableOf } from "#server/platform/table.ts";
import { openCompletion, openMessages } from "../stored-completions/sealed-completion.ts";
import { inputOf } from "./conversation.ts";
import { scopeOf, storedWithin } from "./response-access.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { openContent } from "./stored-content.ts";

type Reading = Pick<ResponseDeps, "database" | "sealer" | "responseSpool" | "completionSpool">;
type Body = Record<string, unknown>;

/** Stored items have ids of their response; a message is the same without. */
const withoutId = ({ id, status, ...item }: ResponseItem): ResponseItem =>
  item.type === "message" ? item : { ...item, id, ...(status !== undefined && { status }) };

/** Fields of the request that only the response object contains, not the record. */
function askedWith({ instructions, tools, tool_choice, text }: ResponseObject): Body {
  return {
    ...(instructions !== null && { instructions }),
    ...(tools.length > 0 && { tools, tool_choice }),
    ...(text.format.type !== "text" && { text }),
  };
}

interface Content {
  readonly asked: Body;
  readonly answer: string | null;
}

/** The content of a stored response; null if it was not stored, was deleted, or the caller may not read it. */
async function contentOf(deps: Reading, caller: Caller, id: string): Promise<Content | null> {
  const { database, sealer, responseSpool } = deps;
  await responseSpool.flushed(id);
  const row = await database.prisma.stored_response.findFirst({
    where: { id, ...storedWithin(scopeOf(caller)) },
  });
  if (!row) return null;
  const items = await inputOf(deps, caller, id);
  const { response } = openContent(sealer, row);
  const asked = { ...askedWith(response), input: items.map(withoutId) };
  return { asked, answer: response.output_text };
}

/** The same of a stored chat completion. */
async function chatContentOf(deps: Reading, caller: Caller, id: string): Promise<Content | null> {
  const { database, sealer, completionSpool } = deps;
  await completionSpool.flushed(id);
  const row = await database.prisma.stored_completion.findFirst({
    where: { id, ...storedWithin(scopeOf(caller)) },
  });
  if (!row) return null;
  const { choices, ...settings } = openCompletion(sealer, row);
  const asked: Body = { messages: openMessages(sealer, row) };
  for (const name of ["tools", "tool_choice", "response_format", "functions", "function_call"])
    if (settings[name] != null) asked[name] = settings[name];
  return { asked, answer: choices[0]?.message.content ?? null };
}

const contents = tableOf({ responses: contentOf, chat: chatContentOf });

/** The request that would repeat a generation, with its content if that was stored. */
export async function replayOf(
  deps: Reading,
  caller: Authorized<"inference:use">,
  { id, operation, model_requested, streamed, parameters }: GenerationDetail,
): Promise<GenerationReplay> {
  const content = (await contents[operation]?.(deps, caller, id)) ?? null;
  const { preset, ...settings } = parameters;
  return {
    operation,
    body: {
      model: model_requested,
      ...settings,
      // Stored content begins with the system prompt of the preset already.
      ...(preset !== undefined && content === null && { preset }),
      ...(streamed && { stream: true }),
      ...content?.asked,
    },
    content_kept: content !== null,
    answer: content?.answer ?? null,
  };
}

import type { GenerationDetail, GenerationReplay } from "#contract/generation.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { inputOf } from "./conversation.ts";
import { scopeOf, storedWithin } from "./response-access.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { openContent } from "./stored-content.ts";

type Reading = Pick<ResponseDeps, "database" | "sealer" | "responseSpool">;
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
  readonly answer: string;
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

/** The request that would repeat a generation, with its content if that was stored. */
export async function replayOf(
  deps: Reading,
  caller: Authorized<"inference:use">,
  { id, operation, model_requested, streamed, parameters }: GenerationDetail,
): Promise<GenerationReplay> {
  const content = operation === "responses" ? await contentOf(deps, caller, id) : null;
  return {
    operation,
    body: { model: model_requested, ...parameters, ...(streamed && { stream: true }), ...content?.asked },
    content_kept: content !== null,
    answer: content?.answer ?? null,
  };
}

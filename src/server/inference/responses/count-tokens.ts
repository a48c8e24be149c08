import type { InputTokenCount, InputTokenRequest } from "#contract/input-tokens.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { conversationOf } from "./conversation.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { tokensOf } from "./truncate.ts";

/**
 * `POST /responses/input_tokens`: an estimate of the input of a response, with everything it continues. Contacts no
 * provider. Throws NOT_FOUND for unknown stored responses and items.
 */
export async function countInputTokens(
  deps: Pick<ResponseDeps, "database" | "sealer" | "responseSpool">,
  caller: Authorized<"inference:use">,
  { model, ...asked }: InputTokenRequest,
): Promise<InputTokenCount> {
  const request = { ...asked, input: asked.input ?? [] };
  const { items } = await conversationOf(deps, caller, request, "read");
  return { object: "response.input_tokens", input_tokens: tokensOf({ ...request, items, store: false }) };
}

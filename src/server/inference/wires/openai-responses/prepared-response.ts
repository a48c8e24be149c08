import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseRequest } from "#contract/responses.ts";

/** A request with its complete conversation in order, and the decision what to store. */
export interface PreparedResponse extends ResponseRequest {
  /** Items of earlier responses, then those of this request. */
  readonly items: readonly ResponseItem[];
  readonly store: boolean;
}

/** The items a request brings itself. */
export const ownItems = ({ input }: Pick<ResponseRequest, "input">): readonly ResponseItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;

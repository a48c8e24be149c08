import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseRequest } from "#contract/responses.ts";

/** A request with everything it stands on: the whole conversation in order, and what is to be kept decided. */
export interface PreparedResponse extends ResponseRequest {
  /** Items of earlier responses, then those of this request. */
  readonly items: readonly ResponseItem[];
  readonly store: boolean;
}

/** The items a request brings itself. */
export const ownItems = ({ input }: Pick<ResponseRequest, "input">): readonly ResponseItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;

import type { ResponseItem } from "#contract/response-items.ts";
import type { InputItemList, InputItemQuery } from "#contract/stored-responses.ts";
import { AppError } from "#server/platform/errors.ts";

/** A page of items that are given oldest first. Throws BAD_REQUEST if `after` is none of them. */
export function pageOfItems(
  items: readonly ResponseItem[],
  { limit, order, after }: InputItemQuery,
): InputItemList {
  const ordered = order === "desc" ? items.toReversed() : items;
  const begin = after === undefined ? 0 : ordered.findIndex((item) => item.id === after) + 1;
  if (after !== undefined && begin === 0)
    throw new AppError("BAD_REQUEST", "after: no item has this id", { param: "after" });
  const page = ordered.slice(begin, begin + limit);
  return {
    object: "list",
    data: page,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: begin + limit < ordered.length,
  };
}

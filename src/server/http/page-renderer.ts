import pLimit from "p-limit";
import { limits } from "#server/platform/limits.ts";
import { busy } from "./page-thread.ts";

const { rendersTogether, rendersWaitingMax } = limits.pages;

/** A rendered page, or a file of the build. */
export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** Renders `target`, a path with its query. Rejects with SERVICE_UNAVAILABLE if that takes too long. */
export type Render = (target: string, headers: Readonly<Record<string, string>>) => Promise<Rendered>;

/** Renders few pages at the same time. Rejects with SERVICE_UNAVAILABLE if too many are waiting. */
export function inTurn(render: Render): Render {
  const turns = pLimit(rendersTogether);
  return async (target, headers) => {
    if (turns.pendingCount >= rendersWaitingMax) throw busy();
    return turns(() => render(target, headers));
  };
}

import type { Tone } from "#app/_ui/status.tsx";
import type { ApiKey } from "#contract/key.ts";

export interface KeyState {
  readonly tone: Tone;
  readonly label: string;
}

type KeyFields = Pick<
  ApiKey,
  "name" | "disabled" | "expires_at" | "limit" | "effective_limit" | "limit_remaining" | "parent_hash"
>;

function ownState(
  { disabled, expires_at: end, limit, effective_limit: binding, limit_remaining: left }: KeyFields,
  nowMs: number,
): string | null {
  if (disabled) return "Disabled";
  if (end !== null && Date.parse(end) <= nowMs) return "Expired";
  return left === 0 && limit === binding ? "Limit reached" : null;
}

/** Whether a key can be used now, and why not. It ends with the keys that made it, the nearest of which is named. */
export function keyState(key: KeyFields, byHash: ReadonlyMap<string, KeyFields>, nowMs: number): KeyState {
  for (let at: KeyFields | undefined = key; at; at = byHash.get(at.parent_hash ?? "")) {
    const reason = ownState(at, nowMs);
    if (reason === null) continue;
    const label = at === key ? reason : `${reason}: parent key ${at.name}`;
    return { tone: reason === "Disabled" ? "neutral" : "warning", label };
  }
  // What is used up is none of theirs: the workspace's, or that of a key the person does not see.
  if (key.limit_remaining === 0) return { tone: "warning", label: "Shared limit reached" };
  return { tone: "good", label: "Active" };
}

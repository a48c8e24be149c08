"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useEnabledSwitch } from "#app/_lib/use-enabled-switch.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useNow } from "#app/_lib/use-now.ts";
import type { ApiKey } from "#contract/key.ts";
import { keyState } from "./key-state.ts";

const withDisabled = { include_disabled: "true" } as const;
const noKeys: readonly ApiKey[] = [];

/** The newest keys the person can see, their states, and switching them on and off. */
export function useKeyList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const nowMs = useNow(10_000);
  const query = useQuery(trpc.keys.list.queryOptions(withDisabled));
  const mayWrite = useMay("keys:write");
  const keys = query.data?.data ?? noKeys;
  const byHash = new Map(keys.map((key) => [key.hash, key]));
  const setEnabled = useEnabledSwitch(
    trpc.keys.list.queryKey(withDisabled),
    ({ id, enabled }) => {
      const hash = keys.find((key) => key.id === id)?.hash ?? "";
      return client.keys.update.mutate({ hash, disabled: !enabled });
    },
    (enabled) => ({ disabled: !enabled }),
  );
  return {
    query,
    keys,
    byHash,
    nowMs,
    stateOf: (key: ApiKey) => keyState(key, byHash, nowMs),
    /** Null without the permission to change keys. */
    setEnabled: mayWrite ? setEnabled : null,
    /** Keys that the server has and the list does not show. */
    olderCount: (query.data?.total_count ?? 0) - keys.length,
  };
}

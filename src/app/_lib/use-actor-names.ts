import { useQuery } from "@tanstack/react-query";
import type { AuditLogEntry } from "#contract/audit.ts";
import { useTRPC } from "./trpc.ts";

/** Names who made a change: a person, a key, or the system; the end of an ID that is no longer known. */
export function useActorNames(): (entry: Pick<AuditLogEntry, "actor_id" | "actor_type">) => string {
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({}, { staleTime: 60_000 }));
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const names = new Map([
    ...(members.data?.data ?? []).map(({ user_id, name }) => [user_id, name] as const),
    ...(keys.data?.data ?? []).map(({ id, name }) => [id, `key ${name}`] as const),
  ]);
  return ({ actor_id, actor_type }) =>
    actor_id === null ? actor_type : (names.get(actor_id) ?? `${actor_type} …${actor_id.slice(-8)}`);
}

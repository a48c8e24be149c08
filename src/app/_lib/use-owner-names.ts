import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "./trpc.ts";

/** Names people and API keys by their IDs; the end of an ID that is no longer known. */
export function useOwnerNames(): (id: string) => string {
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({}, { staleTime: 60_000 }));
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  return (id) =>
    members.data?.data.find(({ user_id }) => user_id === id)?.name ??
    keys.data?.data.find((key) => key.id === id)?.name ??
    `…${id.slice(-8)}`;
}

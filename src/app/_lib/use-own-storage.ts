"use client";

import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "./trpc.ts";

/**
 * A value in this browser that only the same person in the same organisation sees again: it can contain names of keys
 * and people. Nothing is stored before the session is known.
 */
export function useOwnStorage<T>(name: string, defaultValue: T): readonly [T, (value: T) => void] {
  const session = useQuery(useTRPC().session.get.queryOptions());
  const owner = session.data && `${session.data.user_id}-${session.data.organisation.id}`;
  const [value, setValue] = useLocalStorage<T>({ key: `portolan-${name}-${owner}`, defaultValue });
  return [owner ? value : defaultValue, (next) => owner && setValue(next)];
}

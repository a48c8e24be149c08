"use client";

import { useQuery } from "@tanstack/react-query";
import type { Permission } from "#contract/permission.ts";
import { isAdministrator } from "./roles.ts";
import { useTRPC } from "./trpc.ts";

const nothing: readonly Permission[] = [];

/** What whoever is signed in may do in the organisation they act for; nothing until that is known. */
export function usePermissions(): readonly Permission[] {
  const session = useQuery(useTRPC().session.get.queryOptions());
  return session.data?.permissions ?? nothing;
}

/**
 * Whether whoever is signed in may do something. What one may not do is not shown as a control anywhere: values
 * stand in its place. The server refuses it all the same.
 */
export const useMay = (permission: Permission): boolean => usePermissions().includes(permission);

/** Whether whoever is signed in may also decide what binds others, as rules of the whole organisation do. */
export function useIsAdministrator(): boolean {
  const session = useQuery(useTRPC().session.get.queryOptions());
  return session.data ? isAdministrator(session.data.role) : false;
}

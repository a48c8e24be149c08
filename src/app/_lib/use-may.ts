"use client";

import { useQuery } from "@tanstack/react-query";
import type { CurrentSession } from "#contract/overview.ts";
import type { Permission } from "#contract/permission.ts";
import { isAdministrator } from "./roles.ts";
import { useTRPC } from "./trpc.ts";

/** What whoever is signed in may do in the organisation they act for, and whether that runs the installation. */
export type Access = Pick<CurrentSession, "permissions" | "operator">;

const nothing: Access = { permissions: [], operator: false };

/** Nothing until it is known. */
export function useAccess(): Access {
  const session = useQuery(useTRPC().session.get.queryOptions());
  return session.data ?? nothing;
}

export const usePermissions = (): readonly Permission[] => useAccess().permissions;

/**
 * Whether whoever is signed in may do something. What one may not do is not shown as a control anywhere: values
 * stand in its place. The server refuses it all the same.
 */
export const useMay = (permission: Permission): boolean => usePermissions().includes(permission);

/** Whether whoever is signed in may do what concerns every organisation of the installation. */
export const useIsOperator = (): boolean => useAccess().operator;

/** Whether whoever is signed in may also decide what binds others, as rules of the whole organisation do. */
export function useIsAdministrator(): boolean {
  const session = useQuery(useTRPC().session.get.queryOptions());
  return session.data ? isAdministrator(session.data.role) : false;
}

"use client";

import { useQuery } from "@tanstack/react-query";
import type { CurrentSession } from "#contract/overview.ts";
import type { Permission } from "#contract/permission.ts";
import { isAdministrator } from "./roles.ts";
import { useTRPC } from "./trpc.ts";

/** The permissions of the session, and whether the person may act for the whole installation. */
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

/** Whether the session may change what concerns all organisations of the installation. */
export const useIsOperator = (): boolean => useAccess().operator;

/** Whether the session may decide for others, for example by rules of the organisation. */
export function useIsAdministrator(): boolean {
  const session = useQuery(useTRPC().session.get.queryOptions());
  return session.data ? isAdministrator(session.data.role) : false;
}

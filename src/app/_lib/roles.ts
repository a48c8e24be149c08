import type { Role } from "#contract/permission.ts";

/** The roles in the order of their rights, with what a person should know before giving one. */
export const roles: readonly { value: Role; label: string; about: string }[] = [
  { value: "owner", label: "Owner", about: "everything, and decides about other owners" },
  { value: "admin", label: "Admin", about: "keys, rules, members and the audit log of everybody" },
  { value: "member", label: "Member", about: "own keys and rules, and using them" },
  { value: "viewer", label: "Viewer", about: "sees, and changes nothing" },
];

const place = (role: Role): number => roles.findIndex(({ value }) => value === role);

/** What somebody of a role may hand out; the server decides it for good. */
export const rolesUpTo = (own: Role) => roles.filter(({ value }) => place(value) >= place(own));

export const mayDecideAbout = (own: Role, other: Role): boolean => place(own) <= place(other);

/** Owners and admins decide about what is not their own. */
export const isAdministrator = (role: Role): boolean => mayDecideAbout(role, "admin");

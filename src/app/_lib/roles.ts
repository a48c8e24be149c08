import type { Role } from "#contract/permission.ts";

/** The roles in the order of their rights, with what a person should know before giving one. */
export const roles: readonly { value: Role; label: string; about: string }[] = [
  { value: "owner", label: "Owner", about: "Full access, including owners" },
  {
    value: "admin",
    label: "Admin",
    about: "Keys, rules and members of the whole organisation, and the audit log",
  },
  { value: "member", label: "Member", about: "Manage and use own keys and rules" },
  { value: "viewer", label: "Viewer", about: "Read-only access" },
];

const place = (role: Role): number => roles.findIndex(({ value }) => value === role);

/** The roles that a person with a role may give; the server enforces it. */
export const rolesUpTo = (own: Role) => roles.filter(({ value }) => place(value) >= place(own));

export const mayDecideAbout = (own: Role, other: Role): boolean => place(own) <= place(other);

/** Owners and admins decide about what is not their own. */
export const isAdministrator = (role: Role): boolean => mayDecideAbout(role, "admin");

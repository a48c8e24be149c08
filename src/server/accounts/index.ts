export { type Bootstrapped, createFirstAdministrator, type FirstAdministrator } from "./bootstrap.ts";
export { identityOf } from "./identity.ts";
export { isAdministrator, type Membership, membershipsOf } from "./memberships.ts";
export { workspacesOf } from "./workspaces.ts";

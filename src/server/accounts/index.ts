export { type Bootstrapped, createFirstAdministrator, type FirstAdministrator } from "./bootstrap.ts";
export { type Membership, membershipsOf } from "./memberships.ts";

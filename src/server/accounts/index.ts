export { auditPerson } from "./audit-person.ts";
export { finishFirstStart, isFirstStartOver, prepareFirstAdministrator } from "./bootstrap.ts";
export { deleteOrganisation, purgeOrganisation } from "./delete-organisation.ts";
export { type StoredGrantor, stillMayGrant } from "./grantors.ts";
export { identityOf } from "./identity.ts";
export { acceptInvitation, type SignedInPerson, viewInvitation } from "./invitation-acceptance.ts";
export {
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from "./invitations.ts";
export { sendMail } from "./mail.ts";
export {
  createOrganisation,
  inviteOwner,
  resumeOrganisation,
  suspendOrganisation,
  updateOrganisation,
} from "./manage-organisations.ts";
export { getOrganisation, listOrganisations } from "./managed-organisations.ts";
export {
  leaveOrganisation,
  listMembers,
  listOrganisationPeople,
  listWorkspaceMembers,
  removeMember,
  updateMember,
} from "./members.ts";
export { isAdministrator, type Membership, membershipsOf } from "./memberships.ts";
export { createNotifications, type Notifications } from "./notifications.ts";
export { admitIdentity, type OidcIdentity } from "./oidc-identities.ts";
export {
  authorizeOperator,
  type CreditManager,
  isOperator,
  type Operator,
  type OperatorPermission,
  operatorSystem,
} from "./operator.ts";
export { organisationOf, renameOrganisation } from "./organisation.ts";
export { endAllSessions, endSession, profileOf, renamePerson, switchOrganisation } from "./profile.ts";
export { revokeMade } from "./revoke-made.ts";
export {
  createServiceAccount,
  isServiceAccount,
  listServiceAccounts,
  removeServiceAccount,
  serviceAccountBounds,
} from "./service-accounts.ts";
export {
  type LimitColumn,
  limitOf,
  readSpending,
  remainingOf,
  resetChange,
  resetOf,
  type Spending,
  spendingOnWire,
} from "./spending.ts";
export { getBudget, listBudgets, removeBudget, setBudget } from "./workspace-budgets.ts";
export {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  removeWorkspace,
  updateWorkspace,
  workspacesOf,
} from "./workspaces.ts";

export { assertNotHeld, deleteExpired, heldCondition, legalHoldsInForce } from "./held.ts";
export { blockingHold, createLegalHold, listLegalHolds, releaseLegalHold } from "./legal-holds.ts";
export {
  assertKnown,
  hashOf,
  isHashOf,
  requestsOf,
  type Subject,
  subjectOf,
  subjectPurpose,
} from "./subject.ts";

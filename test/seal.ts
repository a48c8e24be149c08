import { auditPurpose } from "#server/audit/signature.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";

/** Signs rows of the audit log with the key that servers under test have. */
export const testSeal = createRowSeal([Buffer.alloc(32, 7)], auditPurpose);

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "#server/access/caller.ts";
import { auditPurpose } from "#server/audit/signature.ts";
import { grantCredit } from "#server/billing/index.ts";
import { openDatabase } from "#server/db/index.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { embeddedConnection } from "./database.ts";
import { installation } from "./installation.ts";

/** One more organisation of the installation under test, with credit; returns an API key of its owner. */
export async function createOrganisation(): Promise<string> {
  const key32 = Buffer.from(readFileSync(join(installation.dataDir, "encryption.key"), "utf8"), "base64");
  const seal = createRowSeal([key32], auditPurpose);
  const database = openDatabase({ ...embeddedConnection(), max: 1 }, createMetrics(), silentLog, seal);
  const [orgId, userId] = [uuidv7(), uuidv7()];
  const caller: Caller = { kind: "system", orgId, userId, permissions: new Set(["inference:use"]) };
  const key = mintKey("ptl");
  try {
    await database.transaction(async (tx) => {
      await tx.organisation.create({ data: { id: orgId, name: "The neighbours", slug: `org-${orgId}` } });
      await tx.user.create({ data: { id: userId, name: "Nadia", email: `${userId}@example.eu` } });
      await tx.member.create({ data: { org_id: orgId, user_id: userId, role: "owner" } });
      await grantCredit(tx, caller, orgId, picoFromDecimal("10"), "For a test");
      await storeKey(tx, caller, key, "ptl", {
        name: "Theirs",
        orgId,
        userId,
        permissions: ["inference:use"],
      });
    });
  } finally {
    await database.close();
  }
  return key;
}

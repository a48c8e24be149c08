import type { Overview } from "#contract/overview.ts";
import type { Database } from "#server/db/client.ts";
import { decimalFromPico } from "#server/platform/money.ts";

interface StepsRow {
  api_key: boolean;
  first_request: boolean;
}

/** What a new organisation has done already. A request counts once it was answered without an error. */
export async function firstSteps(database: Database, orgId: string): Promise<Overview["checklist"]> {
  const [row] = await database.prisma.$queryRaw<StepsRow[]>`
    select exists(select from api_key where org_id = ${orgId}::uuid) as api_key,
           exists(select from generation where org_id = ${orgId}::uuid and error_code is null) as first_request`;
  return row ?? { api_key: false, first_request: false };
}

/** What an organisation may still spend, in EUR with six digits (interface.md 4.1). */
export async function balanceEur(database: Database, orgId: string): Promise<string> {
  const row = await database.prisma.credit_balance.findUnique({ where: { org_id: orgId } });
  if (!row) return decimalFromPico(0n, 6);
  return decimalFromPico(BigInt(row.granted_pico_eur.minus(row.used_pico_eur).toFixed(0)), 6);
}

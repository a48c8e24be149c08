import type { FirstSteps } from "#contract/overview.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import type { Database } from "#server/db/client.ts";
import { decimalFromPico } from "#server/platform/money.ts";

type Steps = Omit<FirstSteps, "example_model">;

/** Which first steps an organisation has done. Only a successful request counts. */
export async function firstSteps(database: Database, { orgId }: OrganisationCaller): Promise<Steps> {
  const [row] = await database.prisma.$queryRaw<Steps[]>`
    select exists(select from api_key where org_id = ${orgId}::uuid) as api_key,
           exists(select from generation where org_id = ${orgId}::uuid and error_code is null) as first_request,
           exists(select from routing_rule where org_id = ${orgId}::uuid and scope = 'org' and enabled
                  and auto_apply and model is null and cardinality(models) = 0
                  and provider->>'data_residency' in ('eu', 'eea')) as eu_only,
           exists(select from provider_credential where not disabled
                  and (org_id = ${orgId}::uuid or shared)) as provider,
           exists(select from destination where org_id = ${orgId}::uuid) as destination`;
  return row ?? { api_key: false, first_request: false, eu_only: false, provider: false, destination: false };
}

/** The remaining credit of an organisation, in EUR with six digits. */
export async function balanceEur(database: Database, orgId: string): Promise<string> {
  const row = await database.prisma.credit_balance.findUnique({ where: { account_id: orgId } });
  if (!row) return decimalFromPico(0n, 6);
  return decimalFromPico(BigInt(row.granted_pico_eur.minus(row.used_pico_eur).toFixed(0)), 6);
}

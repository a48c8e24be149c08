import type { AlertSettings } from "#contract/alert-kind.ts";
import { numberFromPico } from "#server/platform/money.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { isUnder, shownMoney } from "../samples.ts";

/** What an organisation may still spend. */
export interface CreditFact {
  readonly org_id: string;
  readonly name: string;
  readonly balance: string;
}

export const lowCredit: Evaluator<AlertSettings<"low_credit">, readonly CreditFact[]> = {
  read: ({ database }, { orgId }) => database.prisma.$queryRaw<CreditFact[]>`
    select organisation.id as org_id, name, coalesce(granted_pico_eur - used_pico_eur, 0)::text as balance
    from organisation left join credit_balance on account_id = organisation.id
    where (${orgId}::uuid is null or organisation.id = ${orgId}::uuid) and suspended_at is null
    order by organisation.id`,
  evaluate: ({ below_eur }, facts, { open }) =>
    facts.flatMap(({ org_id, name, balance }) => {
      const eur = numberFromPico(BigInt(balance));
      if (!isUnder(eur, below_eur, open.has(org_id))) return [];
      const title = `Credit of ${name} is ${shownMoney("EUR", below_eur)} or less`;
      return [{ subject: org_id, title, detail: `${shownMoney("EUR", eur)} left` }];
    }),
};

export const findLowCredit = finderOf("low_credit", lowCredit);

import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { amountText, shownAmount } from "./amounts.ts";
import type { CounterPlace, IndexedBudget } from "./indexed-budget.ts";
import { counterHeaders, secondsUntil } from "./rate-headers.ts";

const resetOf = ({ span: { endsAtMs } }: CounterPlace): string | null =>
  endsAtMs === null ? null : isoTime(endsAtMs);

const metadataOf = (counter: CounterPlace, needed: bigint, available: bigint) => {
  const { id, name, measure, period, limit } = counter.budget;
  return {
    limit_of: "budget",
    budget: { id, name, measure, period, limit: shownAmount(measure, limit) },
    needed: shownAmount(measure, needed),
    available: shownAmount(measure, available),
    resets_at: resetOf(counter),
  };
};

/** 402: the request may cost more than is left. */
export function moneyRefusal(counter: CounterPlace, needed: bigint, available: bigint): AppError {
  const { name, measure } = counter.budget;
  const currency = measure.toUpperCase();
  const reset = resetOf(counter);
  return new AppError(
    "INSUFFICIENT_QUOTA",
    `This request may cost up to ${currency} ${decimalFromPico(needed, 6)}, more than the ` +
      `${currency} ${decimalFromPico(available, 6)} left of the budget "${name}"` +
      (reset === null ? "" : `, which resets at ${reset}`),
    { metadata: metadataOf(counter, needed, available) },
  );
}

/** A wait of more seconds than this is shown as the time of its end. */
const soonSeconds = 120;

function retryText(counter: CounterPlace, waitSeconds: number | null): string {
  if (waitSeconds === null) return "";
  return waitSeconds <= soonSeconds
    ? `. Try again in ${waitSeconds} s`
    : `. The budget resets at ${resetOf(counter)}`;
}

/** 429: the request needs more tokens, requests or parallel requests than are left. */
export function rateRefusal(counter: CounterPlace, needed: bigint, available: bigint): AppError {
  const { name, measure, limit, period } = counter.budget;
  if (measure === "eur" || measure === "usd") return moneyRefusal(counter, needed, available);
  const allowed = `The budget "${name}" allows ${amountText(measure, shownAmount(measure, limit))}`;
  const per = period === "none" || period === "total" ? "" : ` per ${period}`;
  const rest = measure === "tokens" ? `: this request may need ${needed}, and ${available} are left` : "";
  const waitSeconds =
    measure === "concurrency"
      ? limits.budgets.concurrencyRetryMs / 1000
      : secondsUntil(counter.span.endsAtMs, clock.nowMs());
  return new AppError("RATE_LIMIT_EXCEEDED", `${allowed}${per}${rest}${retryText(counter, waitSeconds)}`, {
    metadata: metadataOf(counter, needed, available),
    headers: {
      ...counterHeaders(counter, available, clock.nowMs()),
      ...(waitSeconds !== null && { "retry-after": String(waitSeconds) }),
    },
  });
}

/** 429: no further value is counted in this period. */
export const tooManyValues = ({ id, name }: IndexedBudget): AppError =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `The budget "${name}" counts ${limits.budgets.countersMax} different values per period at most`,
    { metadata: { limit_of: "budget", budget: { id, name } }, headers: { "retry-after": "60" } },
  );

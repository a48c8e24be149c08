import type { AlertSettings } from "#contract/alert-kind.ts";
import { dayMs, isoDay } from "#server/platform/clock.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { counted } from "../samples.ts";

type RateFact = Pick<ExchangeRate, "date" | "source" | "usdPerEur">;

export const staleExchangeRate: Evaluator<AlertSettings<"stale_exchange_rate">, RateFact> = {
  read: async ({ catalogue }) => catalogue(null).exchangeRate,
  evaluate({ after_days }, { date, source, usdPerEur }, { nowMs }) {
    const days = (Date.parse(isoDay(nowMs)) - Date.parse(date)) / dayMs;
    // The operator fixed it, so it is not updated.
    if (source === "operator" || days <= after_days) return [];
    return [
      {
        subject: "exchange_rate",
        title: `The exchange rate is older than ${counted(after_days, "day")}`,
        detail: `${usdPerEur} USD per EUR of ${date} is used, from ${source}`,
      },
    ];
  },
};

export const findStaleRate = finderOf("stale_exchange_rate", staleExchangeRate);

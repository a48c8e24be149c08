import { z } from "zod";
import { type AlertKind, type AlertKindDescription, settingsSchemaOf } from "#contract/alert-kind.ts";
import { alertKindNames, alertKindTexts } from "#contract/alert-texts.ts";
import type { FindConditions } from "./kind.ts";
import { findBudgets } from "./kinds/budget.ts";
import { findDeprecatedModels } from "./kinds/deprecated-model.ts";
import { findFailingDestinations } from "./kinds/destination-failing.ts";
import { findDownEndpoints } from "./kinds/endpoint-down.ts";
import { findErrorRates } from "./kinds/error-rate.ts";
import { findExpiredFacts } from "./kinds/expired-fact.ts";
import { findLimitRefusals } from "./kinds/limit-refusals.ts";
import { findLowCredit } from "./kinds/low-credit.ts";
import { findSlowRequests } from "./kinds/p95-latency.ts";
import { findStaleRate } from "./kinds/stale-exchange-rate.ts";

/** How each kind of the contract's table is evaluated. */
export const evaluators: Record<AlertKind, FindConditions> = {
  budget: findBudgets,
  limit_refusals: findLimitRefusals,
  low_credit: findLowCredit,
  error_rate: findErrorRates,
  p95_latency: findSlowRequests,
  endpoint_down: findDownEndpoints,
  destination_failing: findFailingDestinations,
  expired_fact: findExpiredFacts,
  deprecated_model: findDeprecatedModels,
  stale_exchange_rate: findStaleRate,
};

/** The kinds for the API, with the schema of their settings. */
export const describeAlertKinds = (): AlertKindDescription[] =>
  alertKindNames.map((kind) => {
    const { title, description, scopes } = alertKindTexts[kind];
    const schema = z
      .record(z.string(), z.json())
      .parse(z.toJSONSchema(settingsSchemaOf(kind), { io: "input" }));
    return { kind, title, description, scopes: [...scopes], settings_schema: schema };
  });

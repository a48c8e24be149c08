import { z } from "zod";
import { type ActivityRange, activityRanges } from "./activity.ts";
import { GenerationLine } from "./generation.ts";
import { Permission, Role } from "./permission.ts";

const Count = z.number().int().min(0);
/** An exact decimal as text, never a float. */
const Money = z.string();
const ranges = Object.keys(activityRanges) as [ActivityRange, ...ActivityRange[]];
export const OverviewQuery = z.object({ range: z.enum(ranges).default("24h") });

const sums = {
  requests: Count,
  failed: Count,
  cancelled: Count,
  interrupted: Count,
  tokens_in: Count,
  tokens_out: Count,
  cost_eur: Money,
  cost_usd: Money,
};

/** In ms; null when nothing was measured. */
const Percentiles = z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable();
export type Percentiles = z.infer<typeof Percentiles>;

const Share = z.number().min(0).max(1);
const Top = z.object({
  /** A model's id, a provider's slug, or a key's id. */
  id: z.string(),
  requests: Count,
  failed: Count,
  cost_eur: Money,
});
export type Top = z.infer<typeof Top>;

/** What the console's first screen shows of one organisation. */
export const Overview = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step_ms: Count,
  totals: z.object({
    ...sums,
    /** Failed of all requests. */
    error_rate: Share,
    /** Requests for which more than one endpoint was tried, and their share; null if none were counted. */
    fallbacks: Count,
    fallback_rate: Share.nullable(),
    /** Of completed requests: until the first content of a stream, and until the end. */
    first_content_ms: Percentiles,
    duration_ms: Percentiles,
  }),
  /** The same length of time directly before. */
  previous: z.object({ requests: Count, failed: Count, cost_eur: Money }),
  buckets: z.array(z.object({ start: z.iso.datetime(), ...sums })),
  top: z.object({
    models: z.array(Top),
    providers: z.array(Top),
    /** A key's name is null when it is gone or not for the caller's eyes. */
    keys: z.array(Top.extend({ name: z.string().nullable() })),
  }),
  latest: z.array(GenerationLine),
  recent_errors: z.array(GenerationLine),
  credit: z.object({ balance_eur: Money }),
  /** Requests that were refused before a provider was asked. They are counted by day. */
  refused: z.object({ count: Count, since: z.iso.datetime() }),
});
export type Overview = z.infer<typeof Overview>;

/** How far a new organisation has come. */
export const FirstSteps = z.object({
  api_key: z.boolean(),
  first_request: z.boolean(),
  /** An enabled rule of the organisation keeps requests in the EU or EEA. */
  eu_only: z.boolean(),
  /** There is a credential for a provider: the organisation's own, or the installation's. */
  provider: z.boolean(),
  destination: z.boolean(),
  /** A model that answers without any provider account; null when the sandbox is off. */
  example_model: z.string().nullable(),
});
export type FirstSteps = z.infer<typeof FirstSteps>;

const Organisation = z.object({ id: z.uuid(), name: z.string() });

/** An organisation somebody belongs to, whether it is served or not. */
export const OwnOrganisation = Organisation.extend({
  /** Why it is suspended; null when it is not. */
  suspended_reason: z.string().nullable(),
});
export type OwnOrganisation = z.infer<typeof OwnOrganisation>;

/** Who is signed in, and for whom. */
export const CurrentSession = z.object({
  user_id: z.uuid(),
  email: z.string(),
  role: Role,
  permissions: z.array(Permission),
  /** Whether they may act for the whole installation: its prices, credit and shared credentials. */
  operator: z.boolean(),
  organisation: Organisation,
  /** All the person may switch to, this one among them. */
  organisations: z.array(Organisation),
});
export type CurrentSession = z.infer<typeof CurrentSession>;

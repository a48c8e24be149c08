import { z } from "zod";
import { answered } from "./answered.ts";
import { list } from "./list.ts";
import { Residency } from "./residency.ts";

const Slugs = list(z.string().min(1).max(200)).max(100);
const PerPercentile = z.strictObject({
  p50: z.number().positive().optional(),
  p75: z.number().positive().optional(),
  p90: z.number().positive().optional(),
  p99: z.number().positive().optional(),
});
const Measure = z.enum(["price", "latency", "throughput"]);
const UsdPrice = z.number().nonnegative();

export const quantizations = [
  "int4",
  "int8",
  "fp4",
  "fp6",
  "fp8",
  "fp16",
  "bf16",
  "fp32",
  "mxfp4",
  "nvfp4",
  "mxfp8",
  "unknown",
] as const;
export const Quantization = z.enum(quantizations);

/**
 * What a rule or a request asks of providers (interface.md 1.1). Hard fields can only shrink the choice,
 * soft ones (`order`, `sort`, `allow_fallbacks`, `require_parameters`, `preferred_*`) rank what is left.
 * Unknown keys are an error: a typo in a compliance key must not be ignored.
 */
export const ProviderPreferences = z
  .strictObject({
    order: Slugs.nullish(),
    only: Slugs.nullish(),
    ignore: Slugs.nullish(),
    allow_fallbacks: z.boolean().nullish(),
    sort: z
      .union([Measure, z.strictObject({ by: Measure, partition: z.enum(["model", "none"]).nullish() })])
      .nullish(),
    require_parameters: z.boolean().nullish(),
    quantizations: list(Quantization).min(1).max(20).nullish(),
    data_collection: z.enum(["allow", "deny"]).nullish(),
    data_residency: Residency.nullish(),
    max_retention_days: z.number().int().min(0).nullish(),
    eu_owned: z.boolean().nullish(),
    zdr: z.boolean().nullish(),
    max_price: z
      .strictObject({
        prompt: UsdPrice.nullish(),
        completion: UsdPrice.nullish(),
        request: UsdPrice.nullish(),
        image: UsdPrice.nullish(),
        audio: UsdPrice.nullish(),
      })
      .nullish(),
    preferred_min_throughput: z.union([z.number().positive(), PerPercentile]).nullish(),
    preferred_max_latency: z.union([z.number().positive(), PerPercentile]).nullish(),
  })
  .meta({ id: "ProviderPreferences" });
export type ProviderPreferences = z.infer<typeof ProviderPreferences>;

/**
 * Preferences as answers tell them. Put together from several wishes they may be longer than one may be, or ask for
 * nothing that there is; where wishes name unrelated places, `data_residency` has all of them: `de+fr`.
 */
export const AnsweredPreferences = answered(ProviderPreferences).meta({ id: "AnsweredPreferences" });

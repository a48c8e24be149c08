import { z } from "zod";
import { answered } from "./answered.ts";
import { list } from "./list.ts";
import { Residency } from "./residency.ts";

const Slugs = list(z.string().min(1).max(200)).max(100);
const PerPercentile = z.strictObject({
  p50: z.number().positive().optional().describe("Bound for the median of recent measurements."),
  p75: z.number().positive().optional().describe("Bound for the 75th percentile of recent measurements."),
  p90: z.number().positive().optional().describe("Bound for the 90th percentile of recent measurements."),
  p99: z.number().positive().optional().describe("Bound for the 99th percentile of recent measurements."),
});
const Measure = z.enum(["price", "latency", "throughput"]);
/** A number, or its text as OpenRouter's clients send it. */
const UsdPrice = z.union(
  [
    z.number().nonnegative(),
    z
      .string()
      .max(32)
      .regex(/^\d{1,9}(\.\d{1,12})?$/)
      .transform(Number)
      .pipe(z.number()),
  ],
  { error: 'must be a price of 0 or more, as a number or as text such as "0.5"' },
);

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
 * What a rule or a request asks of providers. Hard fields can only shrink the choice,
 * soft ones (`order`, `sort`, `allow_fallbacks`, `require_parameters`, `preferred_*`) rank what is left.
 * Unknown keys are an error: a typo in a compliance key must not be ignored.
 */
export const ProviderPreferences = z
  .strictObject({
    order: Slugs.nullish().describe(
      "Providers or endpoints to try first, in this order: `provider` or `provider/variant`. Switches load balancing off.",
    ),
    only: Slugs.nullish().describe(
      "Only these providers or endpoints may serve: `provider` or `provider/variant`.",
    ),
    ignore: Slugs.nullish().describe(
      "Providers or endpoints that may not serve: `provider` or `provider/variant`.",
    ),
    allow_fallbacks: z
      .boolean()
      .nullish()
      .describe(
        "Whether other permitted endpoints are tried when one fails; true by default. With false only those in `order` are tried, or without it the best one.",
      ),
    sort: z
      .union([
        Measure,
        z.strictObject({
          by: Measure.describe(
            "Measure to rank by: lowest `price`, lowest `latency` or highest `throughput`.",
          ),
          partition: z
            .enum(["model", "none"])
            .nullish()
            .describe(
              "With `model` (default), all endpoints of one model come before those of the next; with `none`, endpoints of all models are ranked together.",
            ),
        }),
      ])
      .nullish()
      .describe("Measure by which endpoints are ranked, best first; switches load balancing off."),
    require_parameters: z
      .boolean()
      .nullish()
      .describe(
        "Whether only endpoints known to support every parameter of the request may serve. Otherwise parameters an endpoint does not support are left out.",
      ),
    quantizations: list(Quantization)
      .min(1)
      .max(20)
      .nullish()
      .describe(
        "Only endpoints with one of these weight formats may serve; `fp4` includes `mxfp4` and `nvfp4`, `fp8` includes `mxfp8`.",
      ),
    data_collection: z
      .enum(["allow", "deny"])
      .nullish()
      .describe(
        "With `deny`, providers that train on prompts or may publish them, or that do not say whether they train on them, may not serve.",
      ),
    data_residency: Residency.nullish().describe(
      "Where inference must run: `eu`, `eea`, `eu_adequate` or an ISO 3166-1 alpha-2 country code. In effective preferences, places that must all be met are joined with `+`, such as `de+fr`.",
    ),
    max_retention_days: z
      .number()
      .int()
      .min(0)
      .nullish()
      .describe("Maximum number of days the provider may keep prompts; unknown counts as too long."),
    eu_owned: z
      .boolean()
      .nullish()
      .describe("With true, only providers known to be ultimately owned in the EEA may serve."),
    zdr: z
      .boolean()
      .nullish()
      .describe("With true, only endpoints known to keep no prompts at all may serve."),
    max_price: z
      .strictObject({
        prompt: UsdPrice.nullish().describe("Maximum price of one million input tokens, in US dollars."),
        completion: UsdPrice.nullish().describe("Maximum price of one million output tokens, in US dollars."),
        request: UsdPrice.nullish().describe("Maximum fixed price of a request, in US dollars."),
        image: UsdPrice.nullish().describe("Accepted for compatibility without effect."),
        audio: UsdPrice.nullish().describe("Accepted for compatibility without effect."),
      })
      .nullish()
      .describe("Maximum prices, in US dollars; more expensive endpoints may not serve."),
    preferred_min_throughput: z
      .union([z.number().positive(), PerPercentile])
      .nullish()
      .describe(
        "Throughput in tokens per second below which endpoints are tried later: a number for the median, or bounds by percentile. No effect with `sort`.",
      ),
    preferred_max_latency: z
      .union([z.number().positive(), PerPercentile])
      .nullish()
      .describe(
        "Time to the first content in seconds above which endpoints are tried later: a number for the median, or bounds by percentile. No effect with `sort`.",
      ),
  })
  .meta({ id: "ProviderPreferences" });
export type ProviderPreferences = z.infer<typeof ProviderPreferences>;

/**
 * Preferences as answers tell them. Put together from several preferences they may be longer than one may be, or ask for
 * nothing that there is; where preferences name unrelated places, `data_residency` has all of them: `de+fr`.
 */
export const AnsweredPreferences = answered(ProviderPreferences).meta({ id: "AnsweredPreferences" });

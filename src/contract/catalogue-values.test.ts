import { describe, expect, test } from "vitest";
import { EndpointEntry, ProviderEntry } from "./catalogue.ts";
import { ProviderProbeRequest } from "./provider-probe.ts";

describe("an address is a URL", () => {
  const provider = (base_url: string) => ({ slug: "own", name: "Own", base_url });
  test.each(["http://[", "https://", "http://gpu:99999/v1", "http://a b/v1"])("not %j", (address) => {
    expect(ProviderEntry.safeParse(provider(address)).success).toBe(false);
    expect(ProviderProbeRequest.safeParse({ base_url: address }).success).toBe(false);
  });
  test.each(["http://gpu:8000/v1", "https://{resource}.openai.azure.com/v1", "{sandbox_origin}/fr"])(
    "%s",
    (address) => expect(ProviderEntry.parse(provider(address)).base_url).toBe(address),
  );
});

describe("a price cannot exceed the column of a cost", () => {
  const tier = { above_input_tokens: 1, input_factor: "1", output_factor: "1" };
  const price = { currency: "USD", input: "1", output: "1", tiers: [tier] };
  const endpoint = (own: object) =>
    EndpointEntry.safeParse({ provider: "own", model: "a/b", price: { ...price, ...own } }).success;
  test.each(["input", "cached_input", "cache_write_1h", "reasoning", "per_request", "per_1k_searches"])(
    "%s is at most a million",
    (field) => {
      expect(endpoint({ [field]: "1000000" })).toBe(true);
      expect(endpoint({ [field]: "1000000.01" })).toBe(false);
      expect(endpoint({ [field]: "9".repeat(40) })).toBe(false);
    },
  );
  test("a factor is at most a thousand", () => {
    expect(endpoint({ region_uplift: "1000" })).toBe(true);
    expect(endpoint({ region_uplift: "1001" })).toBe(false);
    expect(endpoint({ tiers: [{ ...tier, output_factor: "1001" }] })).toBe(false);
  });
});

import { expect, test } from "vitest";
import { assertExtras } from "./extras.ts";

const known = new Set(["model", "messages"]);

test.each([
  "api_key",
  "api_base",
  "base_url",
  "headers",
  "extra_headers",
  "extra_body",
  "organization",
  "aws_access_key_id",
  "azure_ad_token",
  "custom_llm_provider",
  "API_KEY",
])("a request may not name a host, a key or a header: %s is refused by name", (name) => {
  expect(() => assertExtras({ model: "m", [name]: "x" }, known)).toThrow(
    expect.objectContaining({ code: "BAD_REQUEST", param: name }),
  );
});

test("other fields that the schema does not know are accepted, up to a number", () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`own_${at}`, at]));
  expect(() => assertExtras({ model: "m", ...fields(64) }, known)).not.toThrow();
  expect(() => assertExtras({ model: "m", ...fields(65) }, known)).toThrow("65 unknown fields");
});

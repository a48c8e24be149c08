import { expect, test } from "vitest";
import { amountText } from "./amounts.ts";

test("an amount of one has its unit in the singular, money always", () => {
  expect(amountText("requests", 1)).toBe("1 request");
  expect(amountText("tokens", 2_000)).toBe("2000 tokens");
  expect(amountText("concurrency", 0)).toBe("0 parallel requests");
  expect(amountText("eur", 20)).toBe("EUR 20");
});

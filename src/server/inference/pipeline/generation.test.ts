import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { exchangeRate } from "#server/platform/money.ts";
import { Generation } from "./generation.ts";

function generation() {
  const caller = {
    ...{
      kind: "key" as const,
      orgId: uuidv7(),
      userId: uuidv7(),
      keyId: uuidv7(),
      keyName: "Test key",
      isApp: false,
      hasBounds: false,
    },
    ...{ workspaceId: null, permissions: new Set<never>(), allowedModels: null, budgets: [] },
    requestsPerMinute: 60,
  };
  const operation = { name: "chat", recorded: new Set<string>() };
  const meta = { requestId: uuidv7(), appTitle: null };
  const plan = { candidates: [], decisions: [] };
  return new Generation(caller, operation, { model: "m" }, meta, plan, exchangeRate("1.1", "2026-01-01", ""));
}

test.each([
  ["stop", "stop"],
  ["st\u0000op\ud800", "stop\ufffd"],
  [`${"a".repeat(199)}😀`, `${"a".repeat(199)}\ufffd`],
  [null, null],
])(
  "of a provider's word for its end %j the record has what a database can store, and not too much",
  (given, kept) => {
    const row = generation().row({ status: "completed", httpStatus: 200, nativeFinishReason: given });
    expect(row.native_finish_reason).toBe(kept);
  },
);

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
  "a provider's finish reason %j is recorded in a form a database can store, with limited length",
  (given, kept) => {
    const row = generation().row({ status: "completed", httpStatus: 200, nativeFinishReason: given });
    expect(row.native_finish_reason).toBe(kept);
  },
);

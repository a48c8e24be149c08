import { describe, expect, test } from "vitest";
import { type Authorized, authorize } from "./authorize.ts";
import type { Caller } from "./caller.ts";

const person: Caller = {
  kind: "person",
  orgId: "o",
  userId: "u",
  email: "ada@test.example",
  role: "member",
  permissions: new Set(["keys:read", "keys:write"]),
};
const keyOf = (workspaceId: string | null): Caller => ({
  kind: "key",
  keyId: "k",
  keyName: "Key",
  isApp: false,
  hasBounds: workspaceId !== null,
  orgId: "o",
  userId: "u",
  workspaceId,
  permissions: new Set(["keys:read"]),
  allowedModels: null,
  budgets: [],
  requestsPerMinute: 600,
});

describe("authorize", () => {
  test("refuses a request without a key", () => {
    expect(() => authorize(null, "keys:read", "workspace")).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED", headers: { "www-authenticate": "Bearer" } }),
    );
  });

  test("names the permission that is missing, and returns the same caller if it is granted", () => {
    expect(() => authorize(person, "members:write", "workspace")).toThrow(
      expect.objectContaining({ code: "FORBIDDEN", metadata: { permission: "members:write" } }),
    );
    expect(authorize(person, "keys:write", "workspace")).toBe(person);
  });

  test("refuses a key of a workspace where the organisation is concerned, and no other caller", () => {
    expect(() => authorize(keyOf("w"), "keys:read", "organisation")).toThrow(
      expect.objectContaining({ code: "FORBIDDEN" }),
    );
    expect(authorize(keyOf("w"), "keys:read", "workspace")).toMatchObject({ workspaceId: "w" });
    expect(authorize(keyOf(null), "keys:read", "organisation")).toMatchObject({ workspaceId: null });
    expect(authorize(person, "keys:read", "organisation")).toBe(person);
  });
});

test("does not compile if a function that requires a permission gets an unauthorised caller", () => {
  const write = (caller: Authorized<"keys:write">) => caller.userId;
  const manage = (caller: Authorized<"keys:write", "organisation">) => caller.userId;
  // @ts-expect-error: not authorised
  write(person);
  // @ts-expect-error: authorised for another permission
  write(authorize(person, "keys:read", "workspace"));
  // @ts-expect-error: authorised for a workspace only
  manage(authorize(person, "keys:write", "workspace"));
  expect(manage(authorize(person, "keys:write", "organisation"))).toBe("u");
  expect(write(authorize(person, "keys:write", "organisation"))).toBe("u");
});

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

describe("who is authorised", () => {
  test("nobody is asked for a key", () => {
    expect(() => authorize(null, "keys:read", "workspace")).toThrow(
      expect.objectContaining({ code: "UNAUTHORIZED", headers: { "www-authenticate": "Bearer" } }),
    );
  });

  test("who lacks the permission is told which, and who has it is the same caller as before", () => {
    expect(() => authorize(person, "members:write", "workspace")).toThrow(
      expect.objectContaining({ code: "FORBIDDEN", metadata: { permission: "members:write" } }),
    );
    expect(authorize(person, "keys:write", "workspace")).toBe(person);
  });

  test("a key of a workspace does not act for the organisation, any other caller does", () => {
    expect(() => authorize(keyOf("w"), "keys:read", "organisation")).toThrow(
      expect.objectContaining({ code: "FORBIDDEN" }),
    );
    expect(authorize(keyOf("w"), "keys:read", "workspace")).toMatchObject({ workspaceId: "w" });
    expect(authorize(keyOf(null), "keys:read", "organisation")).toMatchObject({ workspaceId: null });
    expect(authorize(person, "keys:read", "organisation")).toBe(person);
  });
});

test("what needs a permission is not called by who was not authorised for it: that does not compile", () => {
  const write = (caller: Authorized<"keys:write">) => caller.userId;
  const manage = (caller: Authorized<"keys:write", "organisation">) => caller.userId;
  // @ts-expect-error: a caller nobody authorised
  write(person);
  // @ts-expect-error: authorised for something else
  write(authorize(person, "keys:read", "workspace"));
  // @ts-expect-error: authorised for a workspace only
  manage(authorize(person, "keys:write", "workspace"));
  expect(manage(authorize(person, "keys:write", "organisation"))).toBe("u");
  expect(write(authorize(person, "keys:write", "organisation"))).toBe("u");
});

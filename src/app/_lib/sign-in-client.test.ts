import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answerAuth } from "#test/console/auth-api.ts";
import { recordPageLoads } from "#test/console/location.ts";
import {
  changePassword,
  requestReset,
  resetPassword,
  signIn,
  signInWithOidc,
  signOut,
} from "./sign-in-client.ts";

const calls = [
  [
    "sign-in",
    "/api/auth/sign-in/email",
    () => signIn("a@b.example", "secret-1"),
    { email: "a@b.example", password: "secret-1" },
  ],
  [
    "a link for a new password",
    "/api/auth/request-password-reset",
    () => requestReset("a@b.example"),
    { email: "a@b.example" },
  ],
  [
    "a new password",
    "/api/auth/reset-password",
    () => resetPassword("t0k", "secret-2"),
    { token: "t0k", newPassword: "secret-2" },
  ],
  [
    "another password",
    "/api/auth/change-password",
    () => changePassword("secret-1", "secret-2"),
    { currentPassword: "secret-1", newPassword: "secret-2" },
  ],
] as const;

describe.each(calls)("%s", (_what, path, call, body) => {
  test("sends exactly what was typed, and returns no problem on success", async () => {
    const sent = answerAuth(200, {});
    expect(await call()).toBeNull();
    expect(sent).toEqual([{ path, body }]);
  });

  test("a double click sends once, and both have its answer", async () => {
    const sent = answerAuth(418, { message: "No" });
    expect(await Promise.all([call(), call()])).toEqual(["No", "No"]);
    expect(sent).toHaveLength(1);
    await call();
    expect(sent).toHaveLength(2);
  });

  test.each([
    ["better-auth's", { message: "Too many tries" }],
    ["the server's own", { error: { code: "RATE_LIMIT_EXCEEDED", message: "Too many tries" } }],
  ])("shows the message of a refusal in %s form", async (_form, refusal) => {
    answerAuth(429, refusal);
    expect(await call()).toBe("Too many tries");
  });

  test("reports a server that cannot be reached or does not answer with JSON", async () => {
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    const lost = await call();
    expect(lost).toBeTruthy();
    vi.stubGlobal("fetch", async () => new Response("<html>", { status: 502 }));
    expect(await call()).toBe(lost);
  });

  test("reports the status of a refusal without a message", async () => {
    answerAuth(503, {});
    expect(await call()).toContain("503");
  });
});

test.each([400, 401])(
  "a wrong e-mail or password (%d) does not reveal which one was wrong",
  async (status) => {
    answerAuth(status, { message: "User not found" });
    const reported = await signIn("a@b.example", "x");
    expect(reported).not.toContain("not found");
    expect(reported).toBeTruthy();
  },
);

describe("the organisation's own sign-in", () => {
  test("is opened at the address of the server's answer", async () => {
    const sent = answerAuth(200, { url: "https://id.example/authorize?x=1" });
    const loads = recordPageLoads();
    expect(await signInWithOidc("/keys")).toBe("");
    expect(loads).toEqual(["https://id.example/authorize?x=1"]);
    expect(sent).toEqual([{ path: "/api/auth/sign-in/oidc", body: { next: "/keys" } }]);
  });

  test("is not opened when the address is not http or https", async () => {
    answerAuth(200, { url: "javascript:alert(1)" });
    const loads = recordPageLoads();
    await expect(signInWithOidc("/")).rejects.toThrow();
    expect(loads).toEqual([]);
  });

  test("returns why it was refused", async () => {
    answerAuth(403, { message: "Not invited" });
    expect(await signInWithOidc("/")).toBe("Not invited");
  });
});

test("signing out throws when the server did not end the session", async () => {
  answerAuth(200, {});
  await signOut();
  answerAuth(500, {});
  await expect(signOut()).rejects.toThrow("500");
});

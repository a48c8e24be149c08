import { describe, expect, test, vi } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, services } = server;
const ours = await newOrganisation(server);
const theirs = await newOrganisation(server);
await services.database.prisma.api_key.update({
  where: { id: theirs.keyId },
  data: { expires_at: new Date(0) },
});
await services.database.transaction((tx) =>
  tx.config_version.update({ where: { id: 1 }, data: { version: { increment: 1 } } }),
);
await services.refreshSnapshot();

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const callback = `callback_url=https%3A%2F%2Fapp.example%2Fback&code_challenge=${"a".repeat(43)}`;
const routes: readonly [string, string, string | undefined, number][] = [
  ["GET", "/providers", undefined, 200],
  ["GET", "/models", undefined, 200],
  ["GET", "/models/sandbox/chat", undefined, 200],
  ["GET", "/models/sandbox/chat/endpoints", undefined, 200],
  ["GET", `/auth?${callback}`, undefined, 302],
  // Refused for what is not in the body: wrong codes are counted.
  ["POST", "/auth/keys", "{}", 400],
];
const credentials: readonly [string, Record<string, string>][] = [
  ["an unknown key", bearer(server.key.replace(/.{8}$/, "00000000"))],
  ["an expired key", bearer(theirs.key)],
  ["no key of ours", bearer("sk-of-somebody-else")],
  ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
  ["two keys", { ...bearer(ours.key), "x-api-key": server.key }],
  ["a foreign x-org-id", { ...bearer(ours.key), "x-org-id": theirs.orgId }],
];

describe.each(credentials)("with %s", (_, headers) => {
  test.each(routes)("%s %s is answered as without any", async (method, path, body, status) => {
    const named = { "x-request-id": "the-same-for-both" };
    const without = await send(method, path, { body, key: null, headers: named });
    const response = await send(method, path, { body, key: null, headers: { ...headers, ...named } });
    expect([without.status, response.status]).toEqual([status, status]);
    expect(await response.text()).toBe(await without.text());
    expect(response.headers.get("x-ratelimit-limit")).toBe(without.headers.get("x-ratelimit-limit"));
  });

  test("what needs a key is refused", async () => {
    expect((await send("GET", "/me", { key: null, headers })).status).toBeOneOf([400, 401, 403]);
  });
});

test("a key that counts is the one whose rate is counted where none is needed", async () => {
  const limitOf = async (key: string | null) =>
    (await send("GET", `/auth?${callback}`, { key })).headers.get("x-ratelimit-limit");
  expect(await limitOf(ours.key)).toBe("1000000");
  expect(await limitOf(null)).toBeNull();
});

test("while keys cannot be checked, only what needs one is refused", async () => {
  const authenticate = vi.spyOn(services, "authenticate").mockImplementation(() => {
    throw new AppError("SERVICE_UNAVAILABLE", "API keys cannot be checked at the moment");
  });
  const statuses = [(await send("GET", "/providers")).status, (await send("GET", "/me")).status];
  authenticate.mockImplementation(() => {
    throw new Error("a fault of ours");
  });
  statuses.push((await send("GET", "/providers")).status);
  authenticate.mockRestore();
  expect(statuses).toEqual([200, 503, 500]);
});

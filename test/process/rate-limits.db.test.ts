import { afterEach, describe, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { createOrganisation } from "#test/factories.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer({
  settings: {
    ADMIN_EMAIL: "ada@example.eu",
    ADMIN_PASSWORD: "correct horse battery",
    RATE_LIMIT_KEY: "600",
    RATE_LIMIT_ORGANISATION: "8",
    RATE_LIMIT_AUTH: "3",
    RATE_LIMIT_PUBLIC: "2",
    TRUSTED_PROXIES: "127.0.0.1,::1",
  },
});
const { send, post, services } = server;

/** The middle of a window: a burst does not meet its end, however slow the machine. */
const nowMs = 60_000 * 29_000_000 + 20_000;
const reset = String((60_000 * 29_000_001) / 1000);
vi.spyOn(clock, "nowMs").mockReturnValue(nowMs);
afterEach(() => void vi.mocked(clock.nowMs).mockReturnValue(nowMs));

async function organisation(): Promise<{ key: string; limited: (perMinute: number) => Promise<string> }> {
  const made = await createOrganisation(services.database);
  await services.refreshSnapshot();
  return {
    key: made.key,
    async limited(requests_per_minute) {
      const { key } = (await (
        await post("/keys", { name: "Limited", requests_per_minute }, { key: made.key })
      ).json()) as { key: string };
      return key;
    },
  };
}

const rateOf = ({ headers }: Response) =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 2 };

describe("the limit of a key", () => {
  test("is shown on every answer: of REST, inference, streams and errors", async () => {
    const { limited } = await organisation();
    const key = await limited(6);
    const me = await send("GET", "/me", { key });
    expect([me.status, ...rateOf(me)]).toEqual([200, "6", "5", reset]);
    const complete = await post("/completions", asked, { key });
    expect([complete.status, ...rateOf(complete)]).toEqual([200, "6", "4", reset]);
    const stream = await post("/completions", { ...asked, stream: true }, { key });
    expect([stream.status, ...rateOf(stream)]).toEqual([200, "6", "3", reset]);
    await eventsOf(stream);
    const bad = await post("/completions", {}, { key });
    expect([bad.status, ...rateOf(bad)]).toEqual([400, "6", "2", reset]);
    const broken = await send("POST", "/keys", { key, body: "{" });
    expect([broken.status, ...rateOf(broken)]).toEqual([400, "6", "1", reset]);
  });

  test("refuses requests above it, says how long to wait, and resets with the next minute", async () => {
    const { limited } = await organisation();
    const key = await limited(2);
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await post("/completions", asked, { key })).status),
    );
    expect(statuses.sort()).toEqual([200, 200, 429, 429, 429]);
    const refused = await send("GET", "/me", { key });
    expect([refused.status, refused.headers.get("retry-after"), ...rateOf(refused)]).toEqual([
      429,
      "40",
      "2",
      "0",
      reset,
    ]);
    expect(await refused.json()).toMatchObject({
      error: { code: "RATE_LIMIT_EXCEEDED", metadata: { limit: "key", requests_per_minute: 2 } },
    });
    vi.mocked(clock.nowMs).mockReturnValue(nowMs + 40_000);
    expect((await send("GET", "/me", { key })).status).toBe(200);
  });
});

test("keys of one organisation share its limit, and its refusals do not count against the key", async () => {
  const { key, limited } = await organisation();
  const other = await limited(500);
  const statuses: number[] = [];
  for (let at = 0; at < 9; at++)
    statuses.push((await send("GET", "/me", { key: at % 2 ? key : other })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 429, 429]);
  const refused = await send("GET", "/me", { key: other });
  expect(await refused.json()).toMatchObject({ error: { metadata: { limit: "organisation" } } });
});

describe("the limits of an address", () => {
  const from = (address: string) => ({ key: null, headers: { "x-forwarded-for": address } });

  test("apply to requests without a key, per address, and for IPv6 per network", async () => {
    const ask = async (address: string) => (await send("GET", "/providers", from(address))).status;
    expect([await ask("198.51.100.1"), await ask("198.51.100.1")]).toEqual([200, 200]);
    expect(await ask("198.51.100.1")).toBe(429);
    expect(await ask("9.9.9.9, 198.51.100.1")).toBe(429);
    expect(await ask("198.51.100.2")).toBe(200);
    expect([await ask("2001:db8::1"), await ask("2001:db8::2"), await ask("2001:db8::3")]).toEqual([
      200, 200, 429,
    ]);
    const { key } = await organisation();
    expect((await send("GET", "/providers", { key })).status).toBe(200);
  });

  test("for codes are separate, whatever is sent", async () => {
    const exchange = () => post("/auth/keys", {}, from("198.51.100.9"));
    const statuses: number[] = [];
    for (let at = 0; at < 4; at++) statuses.push((await exchange()).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect((await send("GET", "/auth", from("198.51.100.9"))).status).toBe(429);
    expect((await send("GET", "/providers", from("198.51.100.9"))).status).toBe(200);
  });

  test("are not used up by requests that are refused for a missing key", async () => {
    for (let at = 0; at < 5; at++) expect((await send("GET", "/me", from("198.51.100.10"))).status).toBe(401);
    expect((await send("GET", "/providers", from("198.51.100.10"))).status).toBe(200);
  });
});

test("each call of a batch from the console counts", async () => {
  const { origin } = server;
  const signedIn = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ email: "ada@example.eu", password: "correct horse battery" }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const batch = (calls: number) => {
    const names = Array.from({ length: calls }, () => "session.get").join(",");
    return fetch(`${origin}/api/trpc/${names}?batch=1&input=${encodeURIComponent("{}")}`, {
      headers: { cookie },
    });
  };
  expect((await batch(11)).status).toBe(400);
  const response = await batch(10);
  const answers = (await response.json()) as { error?: { data: { httpStatus: number } } }[];
  const refused = answers.filter(({ error }) => error?.data.httpStatus === 429);
  expect([answers.length, refused.length, response.headers.get("retry-after")]).toEqual([10, 2, "40"]);
});

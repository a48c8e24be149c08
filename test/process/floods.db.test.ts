import { expect, test } from "vitest";
import { stopwatch } from "./free-time.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";
import { expectUnavailable, withinMs } from "./unavailable.ts";

const server = await startTestServer();
const { send, post } = server;
const { database } = server.services;
const [ours, theirs] = [await populateOrganisation(server), await populateOrganisation(server)];

/** Asks so often at once; every answer is a success or says when to come again. Returns how many succeeded. */
async function flood(name: string, count: number, ask: (at: number) => Promise<Response>): Promise<number> {
  const elapsedMs = stopwatch();
  const beganMs = performance.now();
  let slowestMs = 0;
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const answered = await ask(at);
      slowestMs = Math.max(slowestMs, elapsedMs());
      return answered;
    }),
  );
  const done = answers.filter(({ ok }) => ok).length;
  for (const answered of answers) if (!answered.ok) await expectUnavailable(answered, name);
  console.log(
    `${name}: ${done} of ${count} done, answers waited ${Math.round(slowestMs)} of ${Math.round(performance.now() - beganMs)} ms`,
  );
  expect(slowestMs, name).toBeLessThan(withinMs);
  return done;
}

const make =
  (path: string, body: (at: number) => object) =>
  (at: number): Promise<Response> =>
    post(path, body(at), { key: ours.key });

test("each of 400 simultaneous keys is created once, or its client is asked to retry", async () => {
  const done = await flood(
    "POST /keys",
    400,
    make("/keys", (at) => ({ name: `Flood ${at}` })),
  );
  expect(await database.prisma.api_key.count({ where: { name: { startsWith: "Flood " } } })).toBe(done);
  expect(done).toBeGreaterThan(0);
}, 60_000);

test("120 simultaneous changes of one rule are applied one after the other", async () => {
  const change = (at: number) =>
    send("PATCH", `/routing-rules/${ours.ruleId}`, {
      key: ours.key,
      body: JSON.stringify({ name: `Flood ${at}` }),
    });
  expect(await flood("PATCH of one rule", 120, change)).toBeGreaterThan(0);
  const entries = await database.prisma.audit_entry.count({ where: { action: "routing_rule.update" } });
  expect(entries).toBeGreaterThan(0);
}, 60_000);

test.each([
  [
    "/routing-rules",
    (at: number) => ({
      ...{ name: `Rule ${at}`, scope: "org", auto_apply: false },
      provider: { data_residency: "eu" },
    }),
  ],
  ["/workspaces", (at: number) => ({ name: `Flood ${at}` })],
  ["/service-accounts", (at: number) => ({ name: `Flood ${at}` })],
  ["/invitations", (at: number) => ({ email: `flood-${at}@test.example` })],
] as const)(
  "100 simultaneous POST %s succeed or ask for a retry",
  async (path, body) => {
    expect(await flood(`POST ${path}`, 100, make(path, body))).toBeGreaterThan(0);
  },
  60_000,
);

test("a flood of one organisation does not block the writes of another", async () => {
  const greedy = Array.from({ length: 300 }, (_, at) => make("/keys", () => ({ name: `Greedy ${at}` }))(at));
  const modest: number[] = [];
  for (let at = 0; at < 5; at++)
    modest.push((await post("/keys", { name: `Modest ${at}` }, { key: theirs.key })).status);
  expect(modest).toEqual([201, 201, 201, 201, 201]);
  for (const { status } of await Promise.all(greedy)) expect([201, 503]).toContain(status);
}, 60_000);

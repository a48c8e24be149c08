import pLimit from "p-limit";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { databaseKind } from "#test/test-database.ts";
import { breakStatements, leaked, passingErrors } from "./broken-statements.ts";
import { Browser, ignoreAddressLimit } from "./browser.ts";
import { entriesOf } from "./entries.ts";
import { stopwatch } from "./free-time.ts";
import { allUnavailable, timed } from "./own-postgres.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";
import { expectUnavailable, withinMs } from "./unavailable.ts";

const [email, password] = ["ada@test.example", "correct horse battery"];
const timeout = passingErrors["57014 statement timeout"] as () => Error;
const server = await startTestServer({ settings: { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } });
const { send, services } = server;
ignoreAddressLimit();
const browser = await new Browser(server).signIn(email, password);
const ours = await populateOrganisation(server);
const entries = entriesOf({ server, ours, browser, email, password });

let broken: ReturnType<typeof breakStatements> | undefined;
afterEach(() => broken?.restore());

/** Sends a request to every entry while statements fail; those that use the database must answer 503. */
async function walk(makeError: () => Error, place: "recognition" | "procedure" | null) {
  const asked: string[] = [];
  for (const { name, ask } of entries) {
    const failing = breakStatements((_, at) => (place === null || at === place ? makeError() : null));
    broken = failing;
    const elapsedMs = stopwatch();
    const answered = await ask();
    const tookMs = elapsedMs();
    failing.restore();
    if (failing.count() === 0) {
      await answered.body?.cancel();
      continue;
    }
    asked.push(name);
    expect(tookMs, name).toBeLessThan(withinMs);
    await expectUnavailable(answered, name);
  }
  return asked;
}

/** As above for errors after which a statement is tried again: the pauses of several entries pass at the same time. */
async function walkTogether(makeError: () => Error) {
  const using = new Set(await walk(timeout, null));
  const few = pLimit(5);
  const failing = breakStatements(makeError);
  broken = failing;
  const asked = await Promise.all(
    entries.filter(({ name }) => using.has(name)).map((entry) => few(() => timed(entry))),
  );
  failing.restore();
  await allUnavailable(asked);
  return asked.map(({ name }) => name);
}

/** On the embedded database one error of each kind: the others use the same code, tested for each. */
const faults = Object.entries(passingErrors).filter(
  ([name]) => databaseKind() === "postgres" || /^(57014|53300|ECONNRESET)/.test(name),
);

describe.each(faults)("when every statement fails with %s", (fault, makeError) => {
  test("every entry that uses the database answers 503 with the time to retry", async () => {
    const asked = await (/^40/.test(fault) ? walkTogether(makeError) : walk(makeError, null));
    // The catalogue and other data in memory is still served.
    expect(asked.length).toBeGreaterThan(entries.length * 0.8);
  }, 120_000);
});

test("a failure after the session was authenticated is reported by every procedure", async () => {
  const asked = await walk(timeout, "procedure");
  expect(asked.filter((name) => name.startsWith("/api/trpc/")).length).toBeGreaterThan(80);
}, 120_000);

test("a permanent error is 500, and reveals nothing of the statement either", async () => {
  broken = breakStatements(() => Object.assign(new Error(`no such column: ${leaked}`), { code: "42703" }));
  onTestFinished(() => broken?.restore());
  const answered = await send("GET", "/keys", { key: ours.key });
  expect(answered.status).toBe(500);
  expect(await answered.text()).not.toContain("secret_column");
});

test("a conflict with another transaction is run again, invisibly to the client", async () => {
  let conflicts = 0;
  broken = breakStatements((text) =>
    /^insert into .*"api_key"/i.test(text) && conflicts++ < 2
      ? (passingErrors["40P01 deadlock"]?.() ?? null)
      : null,
  );
  const made = await server.post("/keys", { name: "After two deadlocks" }, { key: ours.key });
  expect(made.status).toBe(201);
  expect(conflicts).toBeGreaterThan(2);
  const keys = await services.database.prisma.api_key.count({ where: { name: "After two deadlocks" } });
  expect(keys).toBe(1);
});

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import type { Settings } from "#server/platform/settings.ts";
import { start } from "#server/start.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createTestDatabase, databaseKind, type TestDatabase } from "#test/test-database.ts";

type Environment = Record<string, string>;

interface Place {
  readonly directory: string;
  /** Settings with which a first start would serve. */
  readonly good: Environment;
  /** What is there of a database. */
  traces(): Promise<readonly string[]>;
}

async function emptyDatabase(): Promise<TestDatabase> {
  const made = await createTestDatabase({ empty: true });
  onTestFinished(() => made.close());
  return made;
}

async function emptyPlace(database = emptyDatabase): Promise<Place> {
  const parent = temporaryDirectory();
  const directory = join(parent, "data");
  const common = {
    NODE_ENV: "test",
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: directory,
    EXCHANGE_RATES_URL: "off",
    LOG_LEVEL: "silent",
  };
  if (databaseKind() === "pglite") {
    const traces = async () => (existsSync(directory) ? readdirSync(directory) : []);
    return { directory: parent, good: common, traces };
  }
  const made = await database();
  const key = Buffer.alloc(32, 7).toString("base64");
  return {
    directory: parent,
    good: { ...common, DATABASE_URL: made.url, ENCRYPTION_KEY: key },
    async traces() {
      const client = new pg.Client(made.connection);
      await client.connect();
      const { rows } = await client.query(
        "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      );
      await client.end();
      return rows.map(({ name }) => name);
    },
  };
}

async function startWith(settings: Environment) {
  let said = "";
  const reported = () => said;
  const say = (text: string) => {
    said += text;
  };
  try {
    return { running: await start(loadConfig(settings), silentLog, say), reported };
  } catch (error) {
    return { error, reported };
  }
}

type Wrong = (place: Place) => Environment | Promise<Environment>;

const wrong = (...values: string[]): readonly ((name: string) => Wrong)[] =>
  values.map((value) => (name) => () => ({ [name]: value }));

async function takenPort(): Promise<Environment> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return { PORT: String(address.port) };
}

/** A catalogue file with `content`, as the setting names it. */
const catalogue =
  (content: string | object): ((name: string) => Wrong) =>
  (name) =>
  ({ directory }) => {
    const file = join(directory, "catalogue.json");
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return { [name]: file };
  };

const endpoint = { provider: "x", model: "m/m", upstream_model: "m", price: { currency: "EUR", input: "1" } };

/** A value that each setting refuses; TypeScript asks for a row when a setting is added. */
const invalid: Record<keyof Settings, readonly ((name: string) => Wrong)[]> = {
  NODE_ENV: wrong("prod"),
  HOST: wrong("203.0.113.7", "no-such-host.invalid"),
  PORT: [...wrong("65536", "web"), () => takenPort],
  WORKERS: wrong("0", "1.5", "many"),
  PUBLIC_URL: wrong("portolan.example.eu", "ftp://portolan.example.eu"),
  DATA_DIR: [
    (name) =>
      ({ directory }) => {
        writeFileSync(join(directory, "file"), "");
        return { [name]: join(directory, "file") };
      },
    (name) =>
      ({ directory }) => {
        writeFileSync(join(directory, "file"), "");
        return { [name]: join(directory, "file", "below") };
      },
  ],
  DATABASE_URL: [
    ...wrong("mysql://localhost/portolan", "postgresql://user:p@ss@[::bad/x"),
    (name) => () => ({
      [name]: "postgresql://portolan@127.0.0.1:1/portolan",
      ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
    }),
  ],
  DATABASE_READ_URL: wrong("mysql://localhost/portolan"),
  ENCRYPTION_KEY: wrong("c2hvcnQ="),
  ENCRYPTION_KEY_PREVIOUS: wrong("c2hvcnQ="),
  ADMIN_EMAIL: wrong("somebody"),
  ADMIN_PASSWORD: wrong("short", "long".repeat(40)),
  ADMIN_API_KEY: wrong("sk-12345", `ptl_${"a".repeat(61)}`),
  KEY_PREFIX: wrong("P", "much-too-long-a-prefix"),
  ALLOW_PLAIN_PKCE: wrong("yes"),
  RATE_LIMIT_KEY: wrong("0", "-1", "x"),
  RATE_LIMIT_ORGANISATION: wrong("-1", "1.5"),
  RATE_LIMIT_AUTH: wrong("x"),
  RATE_LIMIT_PUBLIC: wrong("2000000"),
  RATE_LIMIT_PAGES: wrong("2000000"),
  RATE_LIMIT_TEST: wrong("-1"),
  TRUSTED_PROXIES: wrong("proxy.example.eu"),
  OIDC_ISSUER: wrong("accounts.example.eu"),
  OIDC_CLIENT_ID: [() => () => ({ OIDC_ISSUER: "https://accounts.example.eu", OIDC_CLIENT_SECRET: "x" })],
  OIDC_CLIENT_SECRET: [() => () => ({ OIDC_ISSUER: "https://accounts.example.eu", OIDC_CLIENT_ID: "x" })],
  OIDC_SIGN_UP: wrong("anybody"),
  SMTP_URL: wrong("mail.example.eu"),
  MAIL_FROM: [
    ...wrong("Portolan"),
    () => () => ({ SMTP_URL: "smtp://mail.example.eu", PUBLIC_URL: "https://p.example.eu" }),
  ],
  CATALOG_FILE: [
    ...wrong("/does/not/exist.json"),
    catalogue('{"schema": "portolan-catalogue/1",'),
    catalogue({ schema: "portolan-catalogue/9" }),
    catalogue({ schema: "portolan-catalogue/1", provider: [] }),
    catalogue({ schema: "portolan-catalogue/1", endpoints: [{ ...endpoint, modle: "x" }] }),
    catalogue({ schema: "portolan-catalogue/1", endpoints: [endpoint] }),
  ],
  SANDBOX: wrong("maybe"),
  ALLOW_PRIVATE_OWN_PROVIDERS: wrong("http://10.0.8.5:8000", "gpu:0"),
  ALLOW_PRIVATE_HOSTS: wrong("http://10.0.8.5:8000", "10.0.0.0/99", "10.0.0.0/8:8000", "gpu:0", "gpu:99999"),
  ALLOW_PRIVATE_DESTINATIONS: wrong("collector.internal:http", "fd00::5]:4318", "[collector]:4318"),
  EUR_USD_RATE: wrong("one", "0"),
  EXCHANGE_RATES_URL: wrong("ecb"),
  DEFAULT_DATA_RESIDENCY: wrong("europe"),
  EU_ADEQUACY_EXCLUDE: wrong("usa"),
  SPOOL_SYNC: wrong("always"),
  CREDIT_LEASE_TTL: wrong("0"),
  CONFIG_MAX_STALENESS: wrong("-1"),
  RESPONSES_STORE_DEFAULT: wrong("sometimes"),
  RESPONSES_RETENTION_DAYS: wrong("0"),
  REQUEST_RETENTION_DAYS: wrong("30", "40.5", "a year"),
  TRANSPARENCY_WITNESSES: wrong("witness.example", "witness.example+00000000+BAAA https://witness.example"),
  TRANSPARENCY_TIMESTAMPS: wrong("tsa.example", "ftp://tsa.example", "https://ada:secret@tsa.example/tsr"),
  TRANSPARENCY_PUBLISH_TO: wrong("hooks.example", "ftp://hooks.example", "https://ada:secret@hooks.example"),
  TRANSPARENCY_PUBLISH_TOKEN: [
    () => () => ({ TRANSPARENCY_PUBLISH_TOKEN: "of-nobody" }),
    () => () => ({
      TRANSPARENCY_PUBLISH_TOKEN: "two words",
      TRANSPARENCY_PUBLISH_TO: "https://hooks.example",
    }),
  ],
  TRANSPARENCY_S3_KEY: [
    () => () => ({ TRANSPARENCY_S3_KEY: "id:of-nobody" }),
    () => () => ({
      TRANSPARENCY_S3_KEY: "no-colon",
      TRANSPARENCY_PUBLISH_TO: "s3+https://s3.example/bucket",
    }),
  ],
  TRANSPARENCY_S3_REGION: wrong("EU Central"),
  TRANSPARENCY_S3_LOCK_DAYS: wrong("0", "1.5", "ever"),
  AUDIT_EXPORT_URL: wrong(
    "siem.example",
    "ftp://siem.example",
    "https://ada:secret@siem.example",
    "syslog+tls://",
  ),
  AUDIT_EXPORT_TOKEN: [
    () => () => ({ AUDIT_EXPORT_TOKEN: "of-nobody" }),
    () => () => ({ AUDIT_EXPORT_TOKEN: "secret", AUDIT_EXPORT_URL: "syslog+tls://siem.example" }),
    () => () => ({ AUDIT_EXPORT_TOKEN: "two words", AUDIT_EXPORT_URL: "https://siem.example" }),
  ],
  METRICS_TAGS: wrong("team", "app,metadata."),
  LOG_LEVEL: wrong("loud"),
};

const cases = Object.entries(invalid).flatMap(([name, values]) =>
  values.map((make, at) => ({ name, at, make: make(name) })),
);

/** Shared by all that leave no trace in it. */
const untouched = databaseKind() === "postgres" ? await createTestDatabase({ empty: true }) : null;
afterAll(() => untouched?.close());

test.each(cases)(
  "a first start with a wrong $name ($at) names it, and creates and shows nothing",
  async ({ name, make }) => {
    const place = await emptyPlace(async () => untouched ?? emptyDatabase());
    const bad = await make(place);
    const { running, error, reported } = await startWith({ ...place.good, ...bad });
    await running?.stop();
    expect(error).toBeInstanceOf(SettingsError);
    // A file of settings is named with what is wrong in it.
    expect(String(error)).toContain(name === "CATALOG_FILE" ? bad[name] : name);
    expect(reported()).toBe("");
    // The lock goes with the process; it is no trace of an installation.
    expect((await place.traces()).filter((file) => file !== "lock.sqlite")).toEqual([]);
  },
);

test("after a mistake in the catalogue file was corrected, the first start serves and shows its secrets", async () => {
  const place = await emptyPlace();
  const broken = await catalogue({ schema: "portolan-catalogue/1", endpoints: [endpoint] })("CATALOG_FILE")(
    place,
  );
  expect((await startWith({ ...place.good, ...broken })).error).toBeInstanceOf(SettingsError);
  const { running, reported, error } = await startWith(place.good);
  expect(error).toBeUndefined();
  onTestFinished(async () => void (await running?.stop()));
  const key = /API key +(\S+)/.exec(reported())?.[1];
  expect(reported()).toMatch(/Sign in +admin@portolan.internal \/ \S{20}/);
  const answer = await fetch(`${running?.origin}/api/v1/key`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
});

test("secrets of a start that failed after it had created them are replaced by those the next start shows", async () => {
  const place = await emptyPlace();
  let said = "";
  const failing = start(loadConfig(place.good), silentLog, (text) => {
    said = text;
    throw new Error("the terminal is gone");
  });
  await expect(failing).rejects.toThrow("the terminal is gone");
  const lost = /API key +(\S+)/.exec(said)?.[1];
  const { running, reported } = await startWith(place.good);
  onTestFinished(async () => void (await running?.stop()));
  const key = /API key +(\S+)/.exec(reported())?.[1];
  expect(key).not.toBe(lost);
  const statusWith = async (of: string | undefined) =>
    (await fetch(`${running?.origin}/api/v1/key`, { headers: { authorization: `Bearer ${of}` } })).status;
  expect([await statusWith(key), await statusWith(lost)]).toEqual([200, 401]);
});

test("a start that is stopped before it serves does not prevent the next", async () => {
  const place = await emptyPlace();
  const asked = new AbortController();
  asked.abort("SIGTERM");
  const ended = start(loadConfig(place.good), silentLog, () => {}, { signal: asked.signal });
  await expect(ended).rejects.toBe("SIGTERM");
  const { running, reported, error } = await startWith(place.good);
  expect(error).toBeUndefined();
  expect(reported()).toContain("API key");
  expect(await running?.stop()).toBe(true);
});

test("an existing empty data directory counts as a new one", async () => {
  const place = await emptyPlace();
  mkdirSync(place.good.DATA_DIR ?? "", { recursive: true });
  const { running, error } = await startWith(place.good);
  expect(error).toBeUndefined();
  await running?.stop();
});

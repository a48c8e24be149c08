import { describe, expect, test } from "vitest";
import { loadConfig, SettingsError, withCurrentNames } from "./env.ts";
import { renamedSettings } from "./settings.ts";

const key = Buffer.alloc(32, 1).toString("base64");

/** What a person would have to change, or nothing. */
function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ ENCRYPTION_KEY: key, ...env });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe("settings", () => {
  test("everything has a default, and an empty text counts as absent", () => {
    expect(problemsOf({})).toEqual([]);
    expect(loadConfig({ ENCRYPTION_KEY: key, PORT: "" }).PORT).toBe(3000);
  });

  test("all problems are reported at once, each with the name of its setting", () => {
    const problems = problemsOf({ PORT: "http", SPOOL_SYNC: "never", DATABASE_URL: "mysql://db" });
    expect(problems).toEqual([
      "PORT must be a port number",
      "DATABASE_URL must start with postgres:// or postgresql://",
      "SPOOL_SYNC must be process or power",
    ]);
  });

  test("several workers need a database that serves several processes", () => {
    expect(problemsOf({ WORKERS: "2" })).toEqual(["DATABASE_URL is required with more than one of WORKERS"]);
    expect(problemsOf({ DATABASE_READ_URL: "postgres://replica/portolan" })).toEqual([
      "DATABASE_URL is required with DATABASE_READ_URL",
    ]);
    expect(problemsOf({ WORKERS: "2", DATABASE_URL: "postgres://db/portolan" })).toEqual([]);
    expect(problemsOf({ WORKERS: "0" })).toEqual(["WORKERS must be 1 or more"]);
  });

  test("a provider's credential is found by the provider's slug", () => {
    const { providerCredentials } = loadConfig({ ENCRYPTION_KEY: key, AWS_BEDROCK_API_KEY: "secret" });
    expect([...providerCredentials]).toEqual([["aws-bedrock", "secret"]]);
  });
});

describe("renamed settings", () => {
  const names = Object.entries(renamedSettings).map(([oldName, newName]) => ({ oldName, newName }));

  test.each(names)("$oldName is read as $newName, with a warning that names it", ({ oldName, newName }) => {
    const { values, warnings } = withCurrentNames({ [oldName]: "7" });
    expect(values).toEqual({ [newName]: "7" });
    expect(warnings).toEqual([`The setting ${oldName} has a new name: ${newName}. Please rename it`]);
  });

  test.each(names)("$newName wins over $oldName, with a warning", ({ oldName, newName }) => {
    const { values, warnings } = withCurrentNames({ [oldName]: "7", [newName]: "8" });
    expect(values).toEqual({ [newName]: "8" });
    expect(warnings).toEqual([expect.stringContaining(`${oldName} is ignored`)]);
  });

  test("a new name alone gives no warning", () => {
    expect(loadConfig({ ENCRYPTION_KEY: key, CONFIG_MAX_STALENESS: "5" }).warnings).toEqual([]);
  });

  test("values under old names take effect", () => {
    const config = loadConfig({
      ENCRYPTION_KEY: key,
      ADEQUACY_OFF: "US,GB",
      STALE_MAX: "5",
      RESPONSES_KEEP_DAYS: "7",
    });
    expect(config).toMatchObject({
      EU_ADEQUACY_EXCLUDE: ["US", "GB"],
      CONFIG_MAX_STALENESS: 5,
      RESPONSES_RETENTION_DAYS: 7,
    });
    expect(config.warnings).toHaveLength(3);
  });

  test("a wrong value under an old name is reported with both names", () => {
    expect(problemsOf({ ADEQUACY_OFF: "usa" })).toEqual([
      "EU_ADEQUACY_EXCLUDE.0 (set as ADEQUACY_OFF) must be country codes in capitals, such as US,GB",
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { loadConfig, SettingsError } from "./env.ts";

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

  test("all that is wrong is told at once, each with the name of its setting", () => {
    const problems = problemsOf({ PORT: "http", SPOOL_SYNC: "never", DATABASE_URL: "mysql://db" });
    expect(problems).toEqual([
      "PORT must be a port number",
      "DATABASE_URL must start with postgres:// or postgresql://",
      "SPOOL_SYNC must be process or power",
    ]);
  });

  test("several workers need a database that serves several processes", () => {
    expect(problemsOf({ WORKERS: "2" })).toEqual(["DATABASE_URL is required with more than one of WORKERS"]);
    expect(problemsOf({ WORKERS: "2", DATABASE_URL: "postgres://db/portolan" })).toEqual([]);
    expect(problemsOf({ WORKERS: "0" })).toEqual(["WORKERS must be 1 or more"]);
  });

  test("a provider's credential is found by the provider's slug", () => {
    const { providerCredentials } = loadConfig({ ENCRYPTION_KEY: key, AWS_BEDROCK_API_KEY: "secret" });
    expect([...providerCredentials]).toEqual([["aws-bedrock", "secret"]]);
  });
});

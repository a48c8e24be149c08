import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorTable } from "#contract/errors.ts";
import { unservedOperation } from "#contract/unserved-operations.ts";
import { openApiDocument } from "#server/http/openapi.ts";
import { renamedSettings, Settings } from "#server/platform/settings.ts";
import { serverEnvironment } from "../../scripts/setup/server-flags.mjs";
import { documents, repository } from "./source-files.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");

// The changelog also names what was.
const texts = documents().filter(({ path }) => path !== "CHANGELOG.md");

/** The names in the documents that a pattern's first group finds and that are not known. */
function unknown(pattern: RegExp, isKnown: (name: string) => boolean): string[] {
  return texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map(([, name = ""]) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${path}: ${name}`),
  );
}

/** Variables that are no settings of the server, and names in capitals that are no variables. */
const otherNames = new Set([
  ...["CHROME_PATH", "PORTOLAN_API_KEY", "PORTOLAN_URL", "PRISMA_SCHEMA_ENGINE_BINARY"],
  ...Object.keys(renamedSettings),
  ...Object.keys(serverEnvironment),
  ...["GENERATION_ID", "RULE_ID", "SO_REUSEPORT", "SPAN_ID"],
]);
/** Variables of programs that use the API. */
const ofClients = /^(?:CLAUDE_CODE|ANTHROPIC|MAX_THINKING)_/;
const isSetting = (name: string) =>
  name in Settings.shape ||
  name in errorTable ||
  otherNames.has(name) ||
  name.endsWith("_API_KEY") ||
  ofClients.test(name);

describe("names in documents", () => {
  test("settings and error codes exist", () => {
    expect(unknown(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?==|`)/g, isSetting)).toEqual([]);
  });

  test("npm scripts exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
    expect(unknown(/npm run (?:-s )?([\w:]+)/g, (name) => name in scripts)).toEqual([]);
  });

  test("endpoints exist", () => {
    const { paths } = JSON.parse(openApiDocument("0.0.0")) as { paths: Record<string, object> };
    const known = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
      ),
    );
    const isUnserved = (name: string) => {
      const [method = "", path = ""] = name.split(" ");
      return unservedOperation(method, path) !== undefined;
    };
    // Paths of the process itself and of sign-in are outside the API.
    const isKnown = (name: string) =>
      /^GET \/(health|metrics)/.test(name) ||
      isUnserved(name) ||
      known.has(
        name
          .replace("/api/v1", "")
          .replace(/\?.*$/, "")
          .replaceAll(/\{\w+\}/g, "{}"),
      );
    expect(unknown(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^\s`]*)`/g, isKnown)).toEqual([]);
  });

  test("metrics exist", () => {
    const metrics = read("src/server/platform/metrics.ts");
    expect(unknown(/`(portolan_\w+)`/g, (name) => metrics.includes(`"${name}"`))).toEqual([]);
  });
});

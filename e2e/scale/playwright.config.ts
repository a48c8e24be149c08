import { defineConfig } from "@playwright/test";
import { browserPath } from "../../scripts/browser-path.ts";
import { postgresPrograms } from "../../test/setup/postgres-programs.ts";

const executablePath = process.env.CHROMIUM_PATH ?? browserPath() ?? "/usr/bin/chromium";
const scale = { testMatch: "scale.spec.ts" };

/** Installations with much in them: how quick their screens are, and pictures of one. */
export default defineConfig<object, { program: string }>({
  testDir: ".",
  outputDir: "../../test-results",
  workers: 1,
  timeout: 120_000,
  use: { launchOptions: { executablePath, args: ["--no-sandbox"] } },
  projects: [
    { name: "embedded", ...scale, use: { program: "e2e/scale/server.ts" } },
    ...(postgresPrograms()
      ? [{ name: "postgres", ...scale, use: { program: "e2e/scale/server-on-postgres.ts" } }]
      : []),
    { name: "pictures", testMatch: "screenshots.spec.ts", use: { program: "e2e/scale/showcase.ts" } },
  ],
});

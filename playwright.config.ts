import { defineConfig } from "@playwright/test";
import { browserPath } from "./scripts/browser-path.ts";

const executablePath = process.env.CHROMIUM_PATH ?? browserPath() ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // Each worker has a server and a browser to itself; a file's tests stay together unless it says otherwise.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // A browser on a busy machine may stall; what passes only at the second try is named at the end of the log.
  retries: 1,
  timeout: 60_000,
  // How long a condition is waited for; no guarantee is measured by it.
  expect: { timeout: 15_000 },
  use: {
    // No film: it is drawn and kept for every test, and a failure is understood without.
    trace: { mode: "retain-on-failure", screenshots: false },
    screenshot: "only-on-failure",
    launchOptions: { executablePath, args: ["--no-sandbox"] },
  },
  projects: [
    { name: "console", testMatch: ["accessibility.spec.ts", "console/**/*.spec.ts"] },
    { name: "api", testMatch: ["api/**/*.spec.ts"] },
  ],
});

import { defineConfig } from "@playwright/test";
import { browserPath } from "./scripts/browser-path.ts";

const executablePath = process.env.CHROMIUM_PATH ?? browserPath() ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // Each worker has its own server and browser. A file's tests run on one worker unless it says otherwise.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // A browser may stall on a busy machine. Tests that pass only at the second try are listed at the end of the log.
  retries: 1,
  timeout: 60_000,
  // The timeout of conditions; no guarantee depends on it.
  expect: { timeout: 15_000 },
  use: {
    // Recording costs every test time, so only the second try is recorded, without a screencast.
    trace: { mode: "on-first-retry", screenshots: false },
    screenshot: "only-on-failure",
    launchOptions: { executablePath, args: ["--no-sandbox"] },
  },
  projects: [
    { name: "console", testMatch: ["accessibility.spec.ts", "console/**/*.spec.ts"] },
    { name: "api", testMatch: ["api/**/*.spec.ts"] },
  ],
});

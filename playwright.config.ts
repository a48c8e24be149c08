import { defineConfig } from "@playwright/test";
import { installation } from "./e2e/support/installation.ts";
import { browserPath } from "./scripts/browser-path.ts";

const executablePath = process.env.CHROMIUM_PATH ?? browserPath() ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // One server with one history: the console's checklist has to see the very first request.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  timeout: 30_000,
  use: {
    baseURL: installation.origin,
    trace: "retain-on-failure",
    launchOptions: { executablePath, args: ["--no-sandbox"] },
  },
  projects: [
    { name: "console", testMatch: ["accessibility.spec.ts", "console/**/*.spec.ts"] },
    { name: "api", testMatch: ["api/**/*.spec.ts"] },
  ],
  webServer: {
    command: "node --disable-warning=ExperimentalWarning src/server/main.ts",
    url: `${installation.origin}/health/ready`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGINT", timeout: 15_000 },
    env: {
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: installation.port,
      DATA_DIR: installation.dataDir,
      DATABASE_URL: "",
      ADMIN_EMAIL: installation.email,
      ADMIN_PASSWORD: installation.password,
      ADMIN_API_KEY: installation.apiKey,
      SANDBOX: "true",
      LOG_LEVEL: "warn",
    },
  },
});

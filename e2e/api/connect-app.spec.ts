import { expect, type Page, test } from "@playwright/test";
import { expectNoFault } from "../support/accessibility.ts";
import { picture } from "../support/console.ts";
import { type ExampleApp, startExampleApp } from "../support/example-app.ts";
import { installation } from "../support/installation.ts";

const { origin, email, password } = installation;
let app: ExampleApp;
test.beforeAll(async () => {
  app = await startExampleApp(origin);
});
test.afterAll(() => app.close());

/** From the app to the consent page, by way of signing in. */
async function reachConsent(page: Page): Promise<void> {
  await page.goto(app.origin);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.waitForURL(`${origin}/sign-in?next=**`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Allow 127\.0\.0\.1:\d+ to use your account\?$/ }).waitFor();
}

declare global {
  interface Window {
    replay(): Promise<{ exchange: number }>;
    ask(): Promise<number>;
  }
}

test("a person lowers the limit and allows an app, whose key then works; a replay ends it", async ({
  page,
}) => {
  await reachConsent(page);
  await expect(page.getByText("My organisation")).toBeVisible();
  await expectNoFault(page);
  await page.screenshot({ path: picture("consent"), fullPage: true });
  await page.getByLabel("Spending limit in euros").fill("2.5");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(`${app.origin}/callback?from=router&code=**`);
  await expect(page.locator("#result")).toHaveText('{"status":200,"limit":2.5,"from":"router"}');
  expect(await page.evaluate(() => window.ask())).toBe(200);
  expect((await page.evaluate(() => window.replay())).exchange).toBe(403);
  await expect.poll(() => page.evaluate(() => window.ask())).toBe(401);
});

test("a person who denies sends the app away with its state and nothing else", async ({ page }) => {
  await reachConsent(page);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(`${app.origin}/callback?from=router&error=access_denied&state=**`);
  await expect(page.locator("#result")).toHaveText("refused: access_denied");
});

test("a request that is not in order stays on our page", async ({ page }) => {
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  await page.goto(
    `/auth?callback_url=${encodeURIComponent("javascript:alert(1)")}&code_challenge=${challenge}`,
  );
  await expect(page.getByRole("heading", { name: "This request is not in order" })).toBeVisible();
  await expect(page.getByText("callback_url:")).toBeVisible();
});

test("the page warns of the plain method, and shows a look-alike host in punycode", async ({ page }) => {
  const response = await page.context().request.post("/api/auth/sign-in/email", {
    headers: { origin },
    data: { email, password },
  });
  expect(response.status()).toBe(200);
  const callback = encodeURIComponent("https://аpp.example.eu/");
  await page.goto(
    `/auth?callback_url=${callback}&code_challenge_method=plain&code_challenge=${"a".repeat(43)}`,
  );
  await expect(page.getByRole("heading", { name: /xn--pp-6kc\.example\.eu/ })).toBeVisible();
  await expect(page.getByText("A weak way of asking")).toBeVisible();
  await expectNoFault(page);
});

test("no site can frame the page or learn its address", async ({ request }) => {
  const response = await request.get("/auth?callback_url=x");
  expect(response.headers()).toMatchObject({ "x-frame-options": "DENY", "referrer-policy": "no-referrer" });
  expect(response.headers()["content-security-policy"]).toContain("frame-ancestors 'none'");
});

import type { Page } from "@playwright/test";
import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, signInOnce, test } from "../support/console.ts";
import { query } from "../support/database.ts";
import { type ExampleApp, startExampleApp } from "../support/example-app.ts";
import { installation } from "../support/installation.ts";

const { origin, email, password } = installation;
let app: ExampleApp;
test.beforeAll(async () => {
  app = await startExampleApp(origin);
});
test.afterAll(() => app.close());

const question = /^Allow 127\.0\.0\.1:\d+ to use your account\?$/;

/** From the app to the consent page, as somebody who is signed in. */
async function reachConsent(page: Page): Promise<void> {
  await signInOnce(page);
  await page.goto(app.origin);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByRole("heading", { name: question }).waitFor();
}

declare global {
  interface Window {
    replay(): Promise<{ exchange: number }>;
    ask(): Promise<number>;
  }
}

test("a person signs in on the way, lowers the limit and allows an app, whose key then works; a replay ends it", async ({
  page,
}) => {
  await page.goto(app.origin);
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page).toHaveURL(({ href }) => href.startsWith(`${origin}/sign-in?next=`));
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: question }).waitFor();
  await expect(page.getByText("My organisation")).toBeVisible();
  await expectNoFault(page);
  await page.screenshot({ path: picture("consent"), fullPage: true });
  await page.getByLabel("Spending limit in euros").fill("2.5");
  await page.getByRole("button", { name: "Allow" }).click();
  await expect(page).toHaveURL(({ href }) => href.startsWith(`${app.origin}/callback?from=router&code=`));
  await expect(page.locator("#result")).toHaveText('{"status":200,"limit":2.5,"from":"router"}');
  expect(await page.evaluate(() => window.ask())).toBe(200);
  // Asked again at once, as after a lost answer, it gets the same key; later it is somebody else's copy of the code.
  expect((await page.evaluate(() => window.replay())).exchange).toBe(200);
  expect(await page.evaluate(() => window.ask())).toBe(200);
  await query(
    "update authorization_code set used_at = used_at - interval '11 seconds' where used_at is not null returning id",
  );
  expect((await page.evaluate(() => window.replay())).exchange).toBe(403);
  await expect.poll(() => page.evaluate(() => window.ask())).toBe(401);
});

test("a person who denies sends the app away with its state and nothing else", async ({ page }) => {
  await reachConsent(page);
  await page.getByRole("button", { name: "Deny" }).click();
  await expect(page).toHaveURL(({ href }) =>
    href.startsWith(`${app.origin}/callback?from=router&error=access_denied&state=`),
  );
  await expect(page.locator("#result")).toHaveText("refused: access_denied");
});

test("an app that exchanges its code too late gets an error, and no key", async ({ page }) => {
  await reachConsent(page);
  await page.route("**/api/v1/auth/keys", async (route) => {
    const expired = await query(
      "update authorization_code set expires_at = now() where used_at is null returning id",
    );
    expect(expired).toHaveLength(1);
    await route.continue();
  });
  await page.getByRole("button", { name: "Allow" }).click();
  await expect(page).toHaveURL(({ href }) => href.startsWith(`${app.origin}/callback?from=router&code=`));
  await expect(page.locator("#result")).toHaveText("exchange failed: 403");
  expect(
    await query("select id from authorization_code where used_at is null and key_id is not null"),
  ).toEqual([]);
});

test("a person in two organisations chooses the one that pays", async ({ page }) => {
  const [made] = await query(
    `with other as (insert into organisation (id, name, slug, updated_at)
         values (gen_random_uuid(), 'Second house', 'second-house', now())
       returning id)
     insert into member (id, org_id, user_id, role)
     select gen_random_uuid(), other.id, "user".id, 'owner' from other, "user" where email = $1 returning org_id`,
    [email],
  );
  const orgId = made?.org_id;
  try {
    await reachConsent(page);
    await expect(page.getByText("A key for My organisation")).toBeVisible();
    await page.getByLabel("Organisation").selectOption("Second house");
    await expect(page.getByText("A key for Second house")).toBeVisible();
    await expectNoFault(page);
    await page.getByRole("button", { name: "Allow" }).click();
    await expect(page).toHaveURL(({ href }) => href.startsWith(`${app.origin}/callback?from=router&code=`));
    await expect(page.locator("#result")).toHaveText(/"from":"router"/);
    const [key] = await query("select org_id from api_key order by created_at desc limit 1");
    expect(key?.org_id).toBe(orgId);
  } finally {
    // The other tests' person has one organisation.
    await query("delete from member where org_id = $1", [orgId]);
  }
});

test("a request that is not in order stays on our page", async ({ page }) => {
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  await page.goto(
    `/auth?callback_url=${encodeURIComponent("javascript:alert(1)")}&code_challenge=${challenge}`,
  );
  await expect(page.getByRole("heading", { name: "Invalid authorisation request" })).toBeVisible();
  await expect(page.getByText("callback_url:")).toBeVisible();
});

test("the page warns of the plain method, and shows a look-alike host in punycode", async ({ page }) => {
  await signInOnce(page);
  const callback = encodeURIComponent("https://аpp.example.eu/");
  await page.goto(
    `/auth?callback_url=${callback}&code_challenge_method=plain&code_challenge=${"a".repeat(43)}`,
  );
  await expect(page.getByRole("heading", { name: /xn--pp-6kc\.example\.eu/ })).toBeVisible();
  await expect(page.getByText("Insecure request")).toBeVisible();
  await expectNoFault(page);
});

test("no site can frame the page or learn its address", async ({ request }) => {
  const response = await request.get("/auth?callback_url=x");
  expect(response.headers()).toMatchObject({ "x-frame-options": "DENY", "referrer-policy": "no-referrer" });
  expect(response.headers()["content-security-policy"]).toContain("frame-ancestors 'none'");
});

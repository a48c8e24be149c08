import { expect, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const { email, password, origin } = installation;

test("the address of the installation leads through sign-in to the overview and out again", async ({
  cleanPage: page,
}) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in\?next=%2Foverview$/);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/overview$/);
  await expect(page.getByText("My organisation")).toBeVisible();
  await page.getByRole("button", { name: "Account" }).click();
  await expect(page.getByText(email)).toBeVisible();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await page.goto("/overview");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a link into the console is followed after sign-in with its query", async ({ cleanPage: page }) => {
  await page.goto("/logs?status=failed&range=7d");
  await expect(page).toHaveURL(/\/sign-in\?next=%2Flogs%3Fstatus%3Dfailed%26range%3D7d$/);
});

test("a wrong password is refused without saying what was wrong, and the session cookie is out of reach of scripts", async ({
  cleanPage: page,
}) => {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("main").getByRole("alert")).toHaveText("The e-mail or password is incorrect.");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/overview$/);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name }) => name).sort()).toEqual(["portolan_device", "portolan_session"]);
  for (const cookie of cookies) expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
  expect(await page.evaluate(() => document.cookie)).toBe("");
});

for (const next of [
  "//evil.example/",
  "%2F%09%2Fevil.example",
  "%2F%5Cevil.example",
  "%2F.%2F%2Fevil.example",
])
  test(`signing in leads to a page of ours, not to ${next}`, async ({ cleanPage: page }) => {
    await page.goto(`/sign-in?next=${next}`);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`${origin}/overview`);
  });

test("nobody can sign up, and other sites cannot sign in or act for a person", async ({ request }) => {
  const json = { data: { email: "new@example.eu", password: "long enough", name: "New" } };
  const signUp = await request.post("/api/auth/sign-up/email", { headers: { origin }, ...json });
  expect(signUp.status()).toBe(404);
  const crossSite = await request.post("/api/auth/sign-in/email", {
    headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    data: { email, password },
  });
  expect(crossSite.status()).toBe(403);
  const form = await request.post("/api/auth/sign-in/email", {
    headers: { origin },
    form: { email, password },
  });
  expect(form.status()).toBe(415);
});

test("an unknown address shows a page with the request id", async ({ page }) => {
  const response = await page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expect(page.getByText(response?.headers()["x-request-id"] ?? "no id")).toBeVisible();
});

test("a page's scripts run by nonce only", async ({ request }) => {
  const [first, second] = [await request.get("/sign-in"), await request.get("/sign-in")];
  const scriptsOf = (policy = "") =>
    policy.split("; ").find((directive) => directive.startsWith("script-src"));
  const policy = scriptsOf(first.headers()["content-security-policy"]);
  expect(policy).toMatch(/^script-src 'self' 'nonce-[\w-]{22}' 'strict-dynamic'$/);
  expect(policy).not.toBe(scriptsOf(second.headers()["content-security-policy"]));
  expect(await first.text()).not.toMatch(/<script(?![^>]*nonce=)/);
});

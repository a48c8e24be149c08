import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";

const email = "grace@example.eu";
const password = "a sentence to sign in with";
const changed = "another sentence to sign in with";

// Three browsers, five passwords to hash.
test.setTimeout(90_000);

test("somebody is invited, joins in a browser of their own, changes the password and signs out everywhere", async ({
  consolePage: page,
  browser,
}) => {
  await page.goto("/settings/members");
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByLabel("Viewer").check();
  await page.screenshot({ path: picture("members-invite") });
  await expectNoFault(page, { popup: true });
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const link = (await dialog.getByLabel("Invitation link", { exact: true }).textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByRole("row", { name: new RegExp(email) })).toContainText("as Viewer");

  const [here, there] = [await browser.newContext(), await browser.newContext()];
  const own = await here.newPage();
  await own.goto(link);
  await expect(own.getByText("as viewer")).toBeVisible();
  expect(new URL(own.url()).hash).toBe("");
  await own.screenshot({ path: picture("accept-invitation") });
  await expectNoFault(own);
  await own.getByLabel("Your name").fill("Grace Hopper");
  await own.getByLabel("Password", { exact: true }).fill(password);
  await own.getByRole("button", { name: /^Join/ }).click();
  await expect(own).toHaveURL(/\/overview$/);

  await own.goto("/settings");
  await own.getByLabel("Current password").fill(password);
  await own.getByLabel("New password").fill(changed);
  await own.getByRole("button", { name: "Change password" }).click();
  await expect(own.getByText("All other sessions were signed out")).toBeVisible();

  const other = await there.newPage();
  await other.goto("/sign-in?next=/settings");
  await other.getByLabel("E-mail").fill(email);
  await other.getByLabel("Password", { exact: true }).fill(changed);
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  // Not by address: that of the sign-in page ends the same.
  await other.getByRole("table", { name: "Sessions" }).waitFor();
  await expect(other.getByRole("row")).toHaveCount(3);
  await other.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(other).toHaveURL(/\/sign-in$/);
  await own.goto("/overview");
  await expect(own).toHaveURL(/\/sign-in/);
  await here.close();
  await there.close();

  await page.reload();
  await page.getByRole("table", { name: "Members" }).waitFor();
  const row = page.getByRole("row", { name: new RegExp(email) });
  await expect(row).toContainText("Grace Hopper");
  await row.getByRole("button", { name: "Remove Grace Hopper" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
});

test("a service account is made, gets a key that works, and goes with it", async ({
  consolePage: page,
  request,
}) => {
  await page.goto("/settings/service-accounts");
  await page.getByRole("button", { name: "Create service account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Search backend");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const row = page.getByRole("row", { name: /Search backend/ });
  await row.getByRole("button", { name: "Create a key for Search backend" }).click();
  await dialog.getByLabel("Name").fill("Production");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const key = (await dialog.getByLabel("API key", { exact: true }).textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  const headers = { authorization: `Bearer ${key}` };
  expect(await (await request.get("/api/v1/me", { headers })).json()).toMatchObject({ email: null });
  await row.getByRole("button", { name: "Delete Search backend" }).click();
  await dialog.getByLabel("Type Search backend to confirm").fill("Search backend");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
  expect((await request.get("/api/v1/me", { headers })).status()).toBe(401);
});

test("asking for a lost password gives nothing away", async ({ cleanPage: page }) => {
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect(page).toHaveURL(/\/lost-password$/);
  await page.getByLabel("E-mail").fill("nobody@example.eu");
  await page.getByRole("button", { name: "Send reset link" }).click();
  await expect(page.getByRole("status")).toContainText("If an account exists for this address");
});

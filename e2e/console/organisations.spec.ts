import { expect, look, test } from "../support/console.ts";
import { press, reach } from "../support/keyboard.ts";

const email = "iris@example.eu";
const password = "a sentence to sign in with";
const reason = "The invoice of October is not paid";

// Two browsers, every look of four dialogs and pages.
test.setTimeout(180_000);

test("an organisation is created, suspended with a reason its owner sees, resumed and deleted", async ({
  consolePage: page,
  browser,
}) => {
  await page.goto("/settings/organisations");
  const row = page.getByRole("row", { name: /City library/ });
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create organisation" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("City library");
  await dialog.getByLabel("Owner e-mail").fill(email);
  await dialog.getByLabel("Starting credit in euros").fill("20");
  await look(page, "organisation-create");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const link = (await dialog.getByLabel("Invitation link", { exact: true }).textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await expect(row).toContainText("No members yet");
  await expect(row).toContainText("€20.00");

  const there = await browser.newContext();
  const own = await there.newPage();
  await own.goto(link);
  await own.getByLabel("Your name").fill("Iris");
  await own.getByLabel("Password", { exact: true }).fill(password);
  await own.getByRole("button", { name: "Join City library" }).click();
  await expect(own).toHaveURL(/\/overview$/);
  // An owner of another organisation sees nothing of this.
  await own.goto("/settings/organisations");
  await expect(own.getByText("Only for the operator of this installation")).toBeVisible();
  const bar = own.getByRole("navigation", { name: "Settings" });
  await expect(bar.getByRole("link", { name: "Members" })).toBeVisible();
  await expect(bar.getByRole("link", { name: "All organisations" })).toHaveCount(0);

  await page.reload();
  await row.getByRole("button", { name: "Suspend City library" }).click();
  await dialog.getByLabel("Reason").fill(reason);
  const suspend = dialog.getByRole("button", { name: "Suspend", exact: true });
  await expect(suspend).toBeDisabled();
  await dialog.getByLabel("Type City library to confirm").fill("City library");
  await look(page, "organisation-suspend");
  await suspend.click();
  await expect(row).toContainText(reason);
  await look(page, "organisations");

  await own.goto("/keys");
  await expect(own.getByRole("heading", { name: "City library is suspended" })).toBeVisible();
  await expect(own.getByRole("alert").filter({ hasText: reason })).toBeVisible();
  await look(own, "organisation-suspended");
  await own.getByRole("link", { name: "Your profile" }).click();
  await expect(own.getByRole("table", { name: "Sessions" })).toBeVisible();

  await row.getByRole("button", { name: "Resume City library" }).click();
  await dialog.getByLabel("Type City library to confirm").fill("City library");
  await dialog.getByRole("button", { name: "Resume", exact: true }).click();
  await expect(row).toContainText("Active");
  await own.goto("/keys");
  await expect(own.getByRole("button", { name: "Create key" }).first()).toBeVisible();

  await row.getByRole("button", { name: "Suspend City library" }).click();
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByLabel("Type City library to confirm").fill("City library");
  await suspend.click();
  await row.getByRole("button", { name: "Delete City library" }).click();
  await expect(dialog.getByText("The ledger, the audit log and request records")).toBeVisible();
  await dialog.getByLabel("Type City library to confirm").fill("City library");
  await look(page, "organisation-delete");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(row).toHaveCount(0);
  await there.close();
});

test("an organisation is made and stopped by keyboard alone", async ({ consolePage: page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/settings/organisations");
  await press(page, page.getByRole("button", { name: "Create organisation" }));
  const dialog = page.getByRole("dialog");
  await reach(page, dialog.getByLabel("Name", { exact: true }));
  await page.keyboard.type("Archive");
  await reach(page, dialog.getByLabel("Owner e-mail"));
  await page.keyboard.type("archive@example.eu");
  await press(page, dialog.getByRole("button", { name: "Create", exact: true }));
  await press(page, dialog.getByRole("button", { name: "I have copied it" }));
  const row = page.getByRole("row", { name: /Archive/ });
  await press(page, row.getByRole("button", { name: "Suspend Archive" }));
  await reach(page, dialog.getByLabel("Reason"));
  await page.keyboard.type(reason);
  await reach(page, dialog.getByLabel("Type Archive to confirm"));
  await page.keyboard.type("Archive");
  await page.keyboard.press("Enter");
  await expect(row).toContainText("Suspended");
});

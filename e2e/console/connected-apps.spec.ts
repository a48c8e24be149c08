import { expectNoFault } from "../support/accessibility.ts";
import { expect, look, test } from "../support/console.ts";
import { startExampleApp } from "../support/example-app.ts";
import { installation } from "../support/installation.ts";

declare global {
  interface Window {
    ask(): Promise<number>;
  }
}

test("an app is approved, listed among the connected apps, removed, and its key is refused", async ({
  consolePage: page,
}) => {
  const app = await startExampleApp(installation.origin);
  const { host } = new URL(app.origin);
  // A tab of its own: the app lies elsewhere.
  const tab = await page.context().newPage();
  try {
    await tab.goto(app.origin);
    await tab.getByRole("button", { name: "Connect" }).click();
    await tab.getByRole("heading", { name: `Allow ${host} to use your account?` }).waitFor();
    await tab.getByLabel("Spending limit in euros").fill("0.5");
    await tab.getByRole("button", { name: "Allow" }).click();
    await expect(tab.locator("#result")).toHaveText('{"status":200,"limit":0.5,"from":"router"}');

    await page.goto("/keys");
    await page.getByRole("link", { name: "Connected apps" }).click();
    const row = page.getByRole("row", { name: new RegExp(host) });
    await expect(row).toContainText("1 person, 1 key");
    await expectNoFault(page);
    await row.click();
    const sheet = page.getByRole("dialog", { name: host, exact: true });
    await expect(sheet.getByRole("row", { name: /Example app/ })).toContainText("Administrator");
    await expect(sheet.getByRole("row", { name: /Example app/ })).toContainText("of €0.50");
    await look(page, "connected-app");
    expect(await tab.evaluate(() => window.ask())).toBe(200);

    await sheet.getByRole("button", { name: "Remove app" }).click();
    const confirm = page.getByRole("dialog", { name: `Remove ${host}` });
    await expect(confirm.getByRole("button", { name: "Remove" })).toBeDisabled();
    await confirm.getByLabel(`Type ${host} to confirm`).fill(host);
    await confirm.getByRole("button", { name: "Remove" }).click();
    await expect(page.getByText(`${host} is removed`)).toBeVisible();
    await expect(row).toHaveCount(0);
    await expect.poll(() => tab.evaluate(() => window.ask())).toBe(401);
  } finally {
    await tab.close();
    await app.close();
  }
});

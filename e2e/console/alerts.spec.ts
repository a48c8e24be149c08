import { expect, look, test } from "../support/console.ts";
import { startReceiver } from "../support/receiver.ts";

// Rules are evaluated every minute.
test.describe.configure({ timeout: 240_000 });
const evaluatedMs = 90_000;

test("a channel is tested, a rule notifies it once, is switched off, and its history is read", async ({
  consolePage: page,
}) => {
  const receiver = await startReceiver();
  const types = () => receiver.bodies.map((body) => (JSON.parse(body) as { type: string }).type);
  try {
    await page.goto("/alerts/channels");
    await page.getByRole("button", { name: "Add channel" }).first().click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Name").fill("On call");
    await sheet.getByLabel("Type").selectOption("webhook");
    await sheet.getByLabel("Address").fill(receiver.url);
    await sheet.getByRole("switch", { name: /Sign requests/ }).click({ force: true });
    await sheet.getByLabel("Signing secret").fill(`whsec_${Buffer.alloc(32, 3).toString("base64")}`);
    await look(page, "alert-channel-form");
    await sheet.getByRole("button", { name: "Add", exact: true }).click();
    await expect(sheet).toHaveCount(0);
    const channel = page.getByRole("row", { name: /On call/ });
    await expect(channel).toContainText(new URL(receiver.url).origin);
    await channel.getByRole("button", { name: /On call/ }).click();
    await sheet.getByRole("button", { name: "Send a test" }).click();
    await expect(sheet.getByText("Test succeeded")).toBeVisible();
    expect(types()).toEqual(["alert.test"]);
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Rules", exact: true }).click();
    await page.getByRole("button", { name: "Create rule" }).first().click();
    await sheet.getByLabel("Name").fill("Less than a fortune");
    await sheet.getByLabel("Kind").selectOption("low_credit");
    await sheet.getByLabel("Credit in euros").fill("100000");
    await sheet.getByRole("combobox", { name: "Channels" }).click();
    await page.getByRole("option", { name: "On call" }).click();
    await page.keyboard.press("Escape");
    await look(page, "alert-rule-form");
    await sheet.getByRole("button", { name: "Create", exact: true }).click();
    await expect(sheet).toHaveCount(0);
    const rule = page.getByRole("row", { name: /Less than a fortune/ });
    await expect(rule).toContainText("Low credit · at €100,000.00 or less");
    await expect(rule).toContainText("1 open", { timeout: evaluatedMs });
    await expect.poll(types, { timeout: 15_000 }).toEqual(["alert.test", "alert.opened"]);
    await look(page, "alerts");

    await rule.getByRole("switch").click({ force: true });
    await expect(page.getByText("Less than a fortune is disabled.")).toBeVisible();
    await expect
      .poll(types, { timeout: evaluatedMs })
      .toEqual(["alert.test", "alert.opened", "alert.resolved"]);

    await page.getByRole("link", { name: "Incidents", exact: true }).click();
    const incident = page.getByRole("row", { name: /EUR 100,000.00 or less/ });
    await expect(incident).toContainText("2 sent", { timeout: 30_000 });
    await look(page, "alert-incidents");
    await incident.getByRole("button").first().click();
    await expect(sheet.getByText("Resolved to On call")).toBeVisible();
    await look(page, "alert-incident");
  } finally {
    await receiver.close();
  }
});

import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { startReceiver } from "../support/receiver.ts";

test("a destination is added, tried, saved and watched while traces arrive", async ({
  consolePage: page,
  request,
}) => {
  // Delivery takes its own time, and axe looks at a sheet over a whole screen.
  test.slow();
  const receiver = await startReceiver();
  try {
    await page.goto("/destinations");
    await page.getByRole("button", { name: "Add destination" }).first().click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Search").fill("webhook");
    await sheet.getByRole("button", { name: /^Webhook/ }).click();
    await expectNoFault(page, { popup: true });
    await sheet.getByRole("textbox", { name: /^Name/ }).fill("Our receiver");
    await sheet.getByLabel("Address").fill(receiver.url);
    await sheet.getByRole("button", { name: "Test" }).click();
    await expect(sheet.getByText("Test succeeded")).toBeVisible();
    await page.screenshot({ path: picture("destination-tested") });
    await sheet.getByRole("button", { name: "Create", exact: true }).click();
    await expect(page.getByRole("table", { name: "Destinations" })).toContainText("Our receiver");

    const answer = await request.post("/api/v1/chat/completions", {
      headers: { authorization: `Bearer ${installation.apiKey}` },
      data: { model: "sandbox/chat", messages: [{ role: "user", content: "Traced" }], max_tokens: 8 },
    });
    expect(answer.status()).toBe(200);
    await page.getByRole("button", { name: /Our receiver/ }).click();
    await expect(sheet.getByText("Delivered").first()).toBeVisible({ timeout: 25_000 });
    await page.screenshot({ path: picture("destination-deliveries") });
    expect(receiver.bodies.some((body) => body.includes("Traced"))).toBe(true);

    await page.keyboard.press("Escape");
    await page.getByRole("switch", { name: "Send to Our receiver" }).press("Space");
    await expect(page.getByText("Our receiver is disabled.")).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("switch", { name: "Send to Our receiver" })).toBeChecked();
  } finally {
    await receiver.close();
  }
});

import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("requests of a session are listed together, and a click shows them", async ({
  consolePage: page,
  request,
}) => {
  const session = "sessions-agent-run";
  for (const prompt of ["Plan", "Act", "Check"]) {
    const response = await request.post("/api/v1/completions", {
      headers: { authorization: `Bearer ${installation.apiKey}`, "x-session-id": session },
      data: { model: "sandbox/chat", prompt, max_tokens: 4, user: "sessions-ada@example.eu" },
    });
    expect(response.status()).toBe(200);
  }
  await page.goto("/logs");
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page).toHaveURL(/\/logs\/sessions/);
  await expect(page.getByRole("table", { name: "Sessions" })).toBeVisible();
  await page.getByRole("combobox", { name: "Add a filter" }).selectOption("End user");
  await page.getByLabel("End user").fill("sessions-ada@example.eu");
  const row = page.getByRole("table", { name: "Sessions" }).getByRole("row").nth(1);
  await expect(row).toContainText(session);
  await expect(row.getByRole("cell", { name: "3", exact: true })).toBeVisible();
  await look(page, "sessions");
  await row.getByRole("button").press("Enter");
  await expect(page).toHaveURL(new RegExp(`/logs\\?find=${session}$`));
  await expect(page.getByRole("table", { name: "Requests" }).getByRole("row")).toHaveCount(4);
});

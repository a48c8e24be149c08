import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };

// Other files' tests send requests to the same server afterwards, which a remaining budget would refuse.
test.afterEach(async ({ page, request }) => {
  // It may still ask for what is deleted here, which would be an error in its log.
  await page.close();
  const listed = await request.get("/api/v1/budgets", { headers });
  const { data }: { data: { id: string }[] } = await listed.json();
  for (const { id } of data)
    expect((await request.delete(`/api/v1/budgets/${id}`, { headers })).ok()).toBe(true);
});

test("a budget per end user is created, stops a request, is watched, disabled and deleted", async ({
  consolePage: page,
  request,
}) => {
  const ask = async (user: string) => {
    const data = { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, user };
    return request.post("/api/v1/completions", { headers, data });
  };
  for (let at = 0; at < 3; at++) expect((await ask("ada")).status()).toBe(200);

  await page.goto("/budgets");
  await page.getByRole("button", { name: "Create budget" }).first().click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Name").fill("Two a day");
  await sheet.getByLabel("Measure").selectOption("requests");
  await sheet.getByLabel("Period").selectOption("day");
  await sheet.getByLabel("Limit in requests").fill("2");
  await sheet.getByLabel("End user", { exact: true }).selectOption({ label: "Each end user separately" });
  await expect(sheet.getByText(/requests? would have been stopped/)).toBeVisible();
  await expect(sheet.getByText('The budget "Two a day" allows 2 requests per day')).toBeVisible();
  await look(page, "budget-form");
  await sheet.getByRole("button", { name: "Create", exact: true }).click();
  await expect(sheet).toHaveCount(0);

  expect((await ask("bob")).status()).toBe(200);
  expect((await ask("bob")).status()).toBe(200);
  const refused = await ask("bob");
  expect(refused.status()).toBe(429);
  expect((await refused.json()).error.message).toContain('The budget "Two a day"');
  expect((await ask("eve")).status()).toBe(200);

  const row = page.getByRole("row", { name: /Two a day/ });
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText("Highest: bob (of 2)", { timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await expect(row).toContainText("2 of 2 requests · nothing left");
  await row.getByRole("button", { name: /Two a day/ }).click();
  const use = sheet.getByRole("table", { name: "Use by value" });
  await expect(use.getByRole("row").nth(1)).toContainText("bob");
  await look(page, "budget-use");
  await page.keyboard.press("Escape");

  await row.getByRole("switch", { name: "Two a day is enabled" }).click({ force: true });
  await expect(page.getByText("Two a day is disabled.")).toBeVisible();
  expect((await ask("bob")).status()).toBe(200);

  await row.getByRole("button", { name: /Two a day/ }).click();
  await sheet.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete Two a day" });
  await confirm.getByLabel("Type Two a day to confirm").fill("Two a day");
  await confirm.getByRole("button", { name: "Delete" }).click();
  await expect(row).toHaveCount(0);
});

test("a budget for one project by a key of metadata stops only its requests", async ({
  consolePage: page,
  request,
}) => {
  const ask = async (project: string) => {
    const data = { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, metadata: { project } };
    return (await request.post("/api/v1/completions", { headers, data })).status();
  };
  await request.put("/api/v1/tags", { headers, data: { tags: ["metadata.project"] } });
  await page.goto("/budgets");
  await page.getByRole("button", { name: "Create budget" }).first().click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Name").fill("Apollo");
  await sheet.getByLabel("Measure").selectOption("requests");
  await sheet.getByLabel("Limit in requests").fill("1");
  await sheet.getByLabel("metadata.project", { exact: true }).selectOption({ label: "One metadata.project" });
  await sheet.getByLabel("Value of metadata.project").fill("apollo");
  await sheet.getByLabel("Another key of metadata").fill("site");
  await expect(sheet.getByText("No request would have been stopped")).toBeVisible();
  await look(page, "budget-form-tags");
  await sheet.getByLabel("Another key of metadata").fill("");
  await sheet.getByRole("button", { name: "Create", exact: true }).click();
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole("row", { name: /Apollo/ })).toContainText("for metadata.project apollo");
  expect([await ask("apollo"), await ask("apollo"), await ask("gemini")]).toEqual([200, 429, 200]);
});

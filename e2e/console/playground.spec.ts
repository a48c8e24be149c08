import { expect, look, picture, test } from "../support/console.ts";

test("a person asks two models at once and sees who served them, why and for how much", async ({
  consolePage: page,
}) => {
  await page.goto("/playground");
  await page.getByRole("button", { name: "Compare with a second model" }).click();
  for (const name of ["Model", "Second model"]) {
    await page.getByRole("combobox", { name, exact: true }).click();
    await page.getByRole("option", { name: /^sandbox\/chat/ }).click();
  }
  await page.getByLabel("Message").fill("Say hello from the sea");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("button", { name: "Why this provider" })).toHaveCount(2);
  await expect(page.getByText(/€0\.\d{6} · \$0\.\d{6}/)).toHaveCount(2);

  await page.getByRole("button", { name: "Why this provider" }).first().click();
  const why = page.getByRole("dialog", { name: "Why this provider" });
  await expect(why.getByText(/^sandbox-\w+ served it from/)).toBeVisible();
  await look(page, "playground-why");
  await why.getByRole("button", { name: "Close" }).click();
  await page.screenshot({ path: picture("playground-two"), fullPage: true });

  // A conversation continues with its history.
  await page.getByLabel("Message").fill("And again");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("Say hello from the sea")).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Why this provider" })).toHaveCount(2);
});

test("an image and a schema of the answer are sent, and the answer has the schema", async ({
  consolePage: page,
}) => {
  await page.goto("/playground");
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue("sandbox/chat");
  await page.getByLabel("Message").fill("Which port is this?");
  await page.locator('input[type="file"]').setInputFiles("docs/images/logs.png");
  await expect(page.getByRole("img", { name: "Image 1" })).toBeVisible();
  await page.getByRole("button", { name: "Advanced" }).click();
  const schema = { type: "object", properties: { port: { type: "string" } }, required: ["port"] };
  await page
    .getByLabel(/^Schema of the answer/)
    .fill(JSON.stringify({ ...schema, additionalProperties: false }));
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("img", { name: "Image 1 of the message" })).toBeVisible();
  await expect(page.getByText(/^\{"port":"/)).toBeVisible();
  // An image counts as one, not as its bytes.
  await expect(page.getByText(/^\d{1,3} in · \d+ out$/)).toBeVisible();
  await look(page, "playground-image");
});

test("documents are ranked, and the request can be taken along as code", async ({ consolePage: page }) => {
  await page.goto("/playground");
  await page.getByText("Rerank", { exact: true }).click();
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: /^sandbox\/rerank/ }).click();
  await page.getByLabel("Query").fill("harbour");
  await page.getByLabel("Documents, one per line").fill("a mountain\nthe old harbour\na desert");
  await page.getByRole("button", { name: "Run" }).click();
  const ranking = page.getByRole("table", { name: "Documents, best first" });
  await expect(ranking.getByRole("row").first()).toContainText("the old harbour");
  await page.getByRole("button", { name: "View code" }).click();
  await expect(page.getByRole("dialog")).toContainText("/api/v1/rerank");
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByRole("dialog")).toContainText("cast_to=object");
});

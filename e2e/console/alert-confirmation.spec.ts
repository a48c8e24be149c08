import { SMTPServer } from "smtp-server";
import { expect, look, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

/** Of the mail server of this file, which only its own installation knows. */
const smtpPort = 31_000 + (process.pid % 10_000);
test.use({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    MAIL_FROM: "Portolan <portolan@example.eu>",
    PUBLIC_URL: installation.origin,
  },
});

const mails: string[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  async onData(stream, _, done) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    mails.push(Buffer.concat(chunks).toString());
    done();
  },
});
test.beforeAll(() => new Promise<void>((resolve) => smtp.listen(smtpPort, "127.0.0.1", () => resolve())));
test.afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

const tokenIn = (mail = ""): string =>
  /confirm-alerts#([\w-]+)/.exec(mail.replaceAll("=\r\n", ""))?.[1] ?? "";

test("the owner of an address confirms it by the button of the page that the mail links to", async ({
  consolePage: page,
  browser,
  baseURL,
}) => {
  await page.goto("/alerts/channels");
  await page.getByRole("button", { name: "Add channel" }).first().click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Name").fill("Partner");
  await sheet.getByLabel("E-mail address").fill("ada@partner.example");
  await sheet.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("A mail asks ada@partner.example for a confirmation.")).toBeVisible();
  const row = page.getByRole("row", { name: /Partner/ });
  await expect(row).toContainText("Not confirmed");
  await row.getByRole("button", { name: /Partner/ }).click();
  await expect(sheet.getByText("This address is not confirmed")).toBeVisible();
  await look(page, "alert-channel-unconfirmed");
  await page.keyboard.press("Escape");

  await expect.poll(() => tokenIn(mails[0])).not.toBe("");
  const owner = await browser.newPage();
  await owner.goto(`${baseURL}/confirm-alerts#${tokenIn(mails[0])}`);
  const confirm = owner.getByRole("button", { name: "Confirm" });
  await expect(confirm).toBeVisible();
  await look(owner, "confirm-alerts");
  await page.reload();
  await expect(row).toContainText("Not confirmed");
  await confirm.focus();
  await owner.keyboard.press("Enter");
  await expect(owner.getByText("ada@partner.example gets alerts of")).toBeVisible();
  await look(owner, "confirmed-alerts");
  await owner.close();

  await page.reload();
  await expect(row).toContainText("Active");
  await row.getByRole("button", { name: /Partner/ }).click();
  await sheet.getByRole("button", { name: "Send a test" }).click();
  await expect(sheet.getByText("Test succeeded")).toBeVisible();
  expect(mails.at(-1)).toContain("This is a test of an alert channel");
});

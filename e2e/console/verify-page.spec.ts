import { expectNoFault } from "../support/accessibility.ts";
import { expect, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test("a receipt is verified in the browser without a network, and a changed one is not valid", async ({
  consolePage: page,
  request,
}) => {
  const headers = { authorization: `Bearer ${installation.apiKey}` };
  const digestKey = "0123456789abcdef".repeat(4);
  const body = JSON.stringify({ model: "sandbox/chat", prompt: "Grüße 👋", max_tokens: 2 });
  const answer = await request.post("/api/v1/completions", {
    headers: { ...headers, "content-type": "application/json", "x-portolan-digest-key": digestKey },
    data: body,
  });
  const answered = await answer.body();
  const id = answer.headers()["x-generation-id"]?.slice(-36) ?? "";
  let text = "";
  await expect(async () => {
    const receipt = await request.get(`/api/v1/generations/${id}/receipt`, { headers });
    expect(receipt.status(), await receipt.text()).toBe(200);
    text = await receipt.text();
  }).toPass();
  const { public_keys: keys } = JSON.parse(text) as { public_keys: string[] };
  await page.goto("/evidence/transparency-log");
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Verify a proof in the browser" }).click();
  const verifier = await opened;
  await verifier.waitForLoadState();
  // The console would report that it is offline.
  await page.close();
  await verifier.context().setOffline(true);
  const choose = (content: string) =>
    verifier.getByLabel("File", { exact: true }).setInputFiles({
      ...{ name: "receipt.json", mimeType: "application/json", buffer: Buffer.from(content) },
    });
  const result = verifier.getByRole("region");
  await choose(text);
  await expect(result.getByRole("heading", { name: "Valid", exact: true })).toBeVisible();
  await expect(result).toContainText("Not proven: that this is the organisation's log.");
  await verifier.getByLabel("Public keys").fill(keys.join("\n"));
  await expect(result).toContainText("Not proven: that the log's operator shows everybody the same log.");
  await expect(result).toContainText("was received by: sandbox-");
  await verifier.getByText("Request and answer").click();
  await verifier.getByLabel("Key of the digests").fill(digestKey);
  const give = (label: string, buffer: Buffer) =>
    verifier
      .getByLabel(label, { exact: true })
      .setInputFiles({ name: label, mimeType: "text/plain", buffer });
  await give("Request", Buffer.from(body));
  await give("Answer", answered);
  await expect(result).toContainText("Proven: the request is the one of this receipt.");
  await expect(result).toContainText("Proven: the answer is the one of this receipt.");
  await verifier.screenshot({ path: picture("verify-page"), fullPage: true });
  await expectNoFault(verifier);
  await give("Answer", Buffer.from(`${answered.toString()} `));
  await expect(result).toContainText("The answer is not the one of this receipt");
  await give("Answer", answered);
  await choose(text.replace(/\\"http_status\\":200/, String.raw`\"http_status\":201`));
  await expect(result.getByRole("heading", { name: "Not valid" })).toBeVisible();
  await expect(result).toContainText("The entry is not in the log: its proof leads to another root hash.");
  await choose("no JSON");
  await expect(result).toContainText("The file is not JSON.");
});

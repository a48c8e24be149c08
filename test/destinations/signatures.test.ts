import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { attempt } from "#server/destinations/attempt.ts";
import { readConfig } from "#server/destinations/config.ts";
import type { Send } from "#server/destinations/kind.ts";
import { webhook } from "#server/destinations/kinds/webhook.ts";
import { sampleTrace } from "./sample.ts";

const secret = () => `whsec_${randomBytes(32).toString("base64")}`;

/** The headers and the body a destination with this configuration gets. */
async function request(config: object, trace = sampleTrace()) {
  const sent: { headers: Record<string, string>; body: Buffer }[] = [];
  const send: Send = async ({ headers, body }) => {
    sent.push({ headers: { ...headers }, body: Buffer.from(body ?? "") });
    return { status: 200, headers: { "retry-after": undefined }, body: Buffer.alloc(0) };
  };
  const read = readConfig(webhook, { url: "https://hooks.example.eu", ...config });
  expect((await attempt(webhook, read, [trace], send)).outcome).toBe("delivered");
  const [only] = sent;
  if (sent.length !== 1 || !only) throw new Error("not one request");
  return only;
}

test("10,000 of 10,000 signatures hold for the official library, and none for another secret", async () => {
  const stranger = new Webhook(secret());
  let held = 0;
  for (let at = 0; at < 10_000; at++) {
    const signingSecret = secret();
    const { headers, body } = await request({ signingSecret });
    new Webhook(signingSecret).verify(body, headers);
    if (at % 100 === 0) expect(() => stranger.verify(body, headers)).toThrow();
    held++;
  }
  expect(held).toBe(10_000);
});

test("while the secret changes both hold; afterwards the old one does not", async () => {
  const [signingSecret, previousSigningSecret] = [secret(), secret()];
  const during = await request({ signingSecret, previousSigningSecret });
  for (const key of [signingSecret, previousSigningSecret])
    expect(new Webhook(key).verify(during.body, during.headers)).toHaveProperty("resourceSpans");
  const after = await request({ signingSecret });
  expect(() => new Webhook(previousSigningSecret).verify(after.body, after.headers)).toThrow();
});

test("a body that was changed on its way does not hold", async () => {
  const signingSecret = secret();
  const { headers, body } = await request({ signingSecret });
  const changed = Buffer.from(body.toString().replace("Rhine", "Rhone"));
  expect(() => new Webhook(signingSecret).verify(changed, headers)).toThrow();
});

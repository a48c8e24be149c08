import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, expect, test, vi } from "vitest";
import { queueMail } from "#server/accounts/mail.ts";
import { until } from "#test/until.ts";
import { browserOf } from "./browser.ts";
import { startTestServer } from "./server.ts";

interface Received {
  readonly to: string[];
  readonly text: string;
}

const received: Received[] = [];
/** While it is set, the server sends no greeting: clients wait. */
let hanging: Promise<void> | null = null;
const refused = "refused@example.eu";
/** A mail server on loopback; 0 is any port. */
async function startSmtp(port: number) {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onConnect(_, done) {
      if (hanging === null) done();
      else void hanging.then(() => done());
    },
    onRcptTo({ address }, _, done) {
      const unknown = Object.assign(new Error(`${address} is unknown`), { responseCode: 550 });
      done(address === refused ? unknown : null);
    },
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      // Long lines are folded on the way.
      const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=");
      received.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
      done();
    },
  });
  await new Promise<void>((resolve) => smtp.listen(port, "127.0.0.1", () => resolve()));
  return {
    port: (smtp.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  };
}
let smtp = await startSmtp(0);
afterAll(() => smtp.close());
const { port } = smtp;

const said: string[] = [];
const server = await startTestServer({
  say: (text) => said.push(text),
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "Portolan <portolan@example.eu>",
    PUBLIC_URL: "http://llm.example.eu",
  },
});

function receivedBy(address: string): Received {
  const mail = received.findLast(({ to }) => to.includes(address));
  if (!mail) throw new Error("no mail yet");
  return mail;
}
const mailTo = (address: string) => until(() => receivedBy(address));
const tokenIn = ({ text }: Received) =>
  /http:\/\/llm\.example\.eu\/(?:accept-invitation|reset-password)#([\w-]+)/.exec(text)?.[1];

test("an invitation is mailed to its address, and its link is shown to nobody else", async () => {
  const email = "grace@example.eu";
  const response = await server.post("/invitations", { email });
  expect(response.status).toBe(201);
  const answer = (await response.json()) as { link: string | null };
  expect(answer.link).toBeNull();
  const token = tokenIn(await mailTo(email));
  expect(JSON.stringify(answer)).not.toContain(token);
  const view = await server.post("/invitations/view", { token }, { key: null });
  expect(await view.json()).toMatchObject({ data: { has_account: false } });
  const joining = { token, name: "Grace", password: "correct horse battery" };
  expect((await server.post("/invitations/accept", joining, { key: null })).status).toBe(200);
  const user = await server.services.database.prisma.user.findUniqueOrThrow({ where: { email } });
  expect(user.email_verified).toBe(true);
});

test("a reset link is mailed and not printed on the terminal, whatever host requested it", async () => {
  const email = "grace@example.eu";
  const before = received.length;
  const response = await browserOf(server).request(
    "POST",
    "/api/auth/request-password-reset",
    { email },
    { origin: "http://llm.example.eu", "x-forwarded-host": "evil.example" },
  );
  expect(response.status).toBe(200);
  await until(() => expect(received.length).toBe(before + 1));
  const mail = await mailTo(email);
  expect(tokenIn(mail)).toBeDefined();
  expect(mail.text).not.toContain("evil.example");
  expect(said.join("")).not.toContain("reset-password");
});

interface Job {
  readonly state: string;
  readonly retry_count: number;
  readonly data: string;
}
const mails = () =>
  server.services.database.prisma.$queryRaw<Job[]>`
    select state::text, retry_count, data::text from jobs.job where name = 'mail' order by created_on`;
/** The pause before the next attempt is over. */
async function retryNow() {
  await server.services.database.prisma.$executeRaw`
    update jobs.job set start_after = now() where name = 'mail' and state = 'retry'`;
  server.services.queue.wake("mail");
}

test("an unresponsive mail server delays no request, and pending mails are sealed", async () => {
  const greeting = Promise.withResolvers<void>();
  hanging = greeting.promise;
  const email = "slow@example.eu";
  const response = await server.post("/invitations", { email });
  expect(response.status).toBe(201);
  const reset = await browserOf(server).request(
    "POST",
    "/api/auth/request-password-reset",
    { email: "grace@example.eu" },
    { origin: "http://llm.example.eu" },
  );
  expect(reset.status).toBe(200);
  expect(received.some(({ to }) => to.includes(email))).toBe(false);
  const stored = JSON.stringify(await mails());
  hanging = null;
  greeting.resolve();
  const token = tokenIn(await mailTo(email));
  expect(token).toBeDefined();
  for (const secret of [String(token), "accept-invitation", email]) expect(stored).not.toContain(secret);
});

test("a mail is not lost while its server is unavailable: it arrives once the server is back", {
  timeout: 60_000,
}, async () => {
  const email = "later@example.eu";
  await smtp.close();
  expect((await server.post("/invitations", { email })).status).toBe(201);
  await vi.waitFor(async () => expect((await mails()).at(-1)?.state).toBe("retry"), { timeout: 15_000 });
  await retryNow();
  await vi.waitFor(async () => expect((await mails()).at(-1)?.retry_count).toBeGreaterThan(0), {
    timeout: 15_000,
  });
  smtp = await startSmtp(port);
  const mail = await vi.waitFor(
    async () => {
      // Every time: an attempt that fails after this sets a pause of its own, of ten seconds.
      await retryNow();
      return receivedBy(email);
    },
    { timeout: 15_000, interval: 250 },
  );
  const joining = { token: tokenIn(mail), name: "Later", password: "correct horse battery" };
  expect((await server.post("/invitations/accept", joining, { key: null })).status).toBe(200);
});

test("a permanently refused mail is not retried, and the log contains no address", async () => {
  const error = vi.spyOn(server.services.log, "error");
  try {
    expect((await server.post("/invitations", { email: refused })).status).toBe(201);
    await vi.waitFor(() => expect(error).toHaveBeenCalled(), { timeout: 10_000 });
    await vi.waitFor(async () => expect((await mails()).at(-1)?.state).toBe("completed"), {
      timeout: 10_000,
    });
    const [fields] = error.mock.calls[0] ?? [];
    expect(String(fields?.error)).toContain("EENVELOPE 550");
    expect(String(fields?.error)).not.toContain(refused);
  } finally {
    error.mockRestore();
  }
});

test("a mail whose link has expired is not sent", async () => {
  const { database, sealer, queue } = server.services;
  const before = received.length;
  const letter = { to: "late@example.eu", subject: "Late", text: "Late", until_ms: Date.now() - 1 };
  await database.transaction((tx) => queueMail({ queue, sealer }, tx, letter));
  queue.wake("mail");
  await vi.waitFor(async () => expect((await mails()).at(-1)?.state).toBe("completed"), { timeout: 10_000 });
  expect(received).toHaveLength(before);
});

import { beforeAll, expect, test } from "vitest";
import { prepareFirstAdministrator } from "#server/accounts/index.ts";
import { clock } from "#server/platform/clock.ts";
import { type Config, loadConfig } from "#server/platform/env.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { devicePurpose, knownDevices } from "./known-device.ts";
import { callerOfSession } from "./session.ts";
import { openSignIn } from "./sign-in.ts";

const { database } = await openTestDatabase();
const config: Config = loadConfig({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") });
const devices = knownDevices(createRowSeal(config.encryptionKeys, devicePurpose));
const others = { database, log: silentLog, oidc: null, devices, askForReset: async () => {} };
const signIn = openSignIn({ config, ...others });
const password = "correct horse battery";
const email = "ada@example.eu";

beforeAll(() =>
  prepareFirstAdministrator(
    database,
    { ADMIN_EMAIL: email, ADMIN_PASSWORD: password },
    { addStartingCredit: async () => {}, storeFirstKey: async () => uuidv7() },
  ),
);

const signInAs = (body: Record<string, string>, open = signIn) =>
  open.handler(
    new Request("http://127.0.0.1:3000/api/auth/sign-in/email", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        host: "127.0.0.1:3000",
        origin: "http://127.0.0.1:3000",
      },
      body: JSON.stringify(body),
    }),
  );

async function cookieOfNewSession(): Promise<string> {
  const response = await signInAs({ email, password });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

test("a session's person acts for the organisation joined first, with the role's permissions", async () => {
  const { caller } = await callerOfSession(signIn, database, { cookie: await cookieOfNewSession() });
  expect(caller).toMatchObject({ kind: "person", email, role: "owner" });
  expect(caller?.permissions.has("keys:write")).toBe(true);
});

test("an organisation named by header counts only for its members", async () => {
  const { orgId } = await createOrganisation(database);
  const headers = { cookie: await cookieOfNewSession(), "x-org-id": orgId };
  await expect(callerOfSession(signIn, database, headers)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { id: user_id } = await database.prisma.user.findFirstOrThrow({ where: { email } });
  await database.prisma.member.create({ data: { org_id: orgId, user_id, role: "viewer" } });
  const { caller } = await callerOfSession(signIn, database, headers);
  expect(caller).toMatchObject({ orgId, role: "viewer" });
  expect(caller?.permissions.has("keys:write")).toBe(false);
});

test("a cookie that was tampered with, unknown or missing is not accepted", async () => {
  const cookie = await cookieOfNewSession();
  const [name] = cookie.split("=");
  for (const forged of [`${cookie.slice(0, -8)}AAAAAAAA`, `${name}=${uuidv7()}.c2ln`, undefined]) {
    expect((await callerOfSession(signIn, database, { cookie: forged })).caller).toBeNull();
  }
});

test("a session ends seven days after its sign-in however much it was used, and after twelve idle hours", async () => {
  const cookie = await cookieOfNewSession();
  const newest = await database.prisma.session.findFirstOrThrow({ orderBy: { created_at: "desc" } });
  expect(newest.expires_at.getTime() - clock.nowMs()).toBeLessThanOrEqual(12 * 3_600_000);
  const long = new Date(clock.nowMs() - limits.signIn.sessionMaxMs - 1000);
  await database.prisma.session.update({ where: { id: newest.id }, data: { created_at: long } });
  expect((await callerOfSession(signIn, database, { cookie })).caller).toBeNull();
  expect(await database.prisma.session.findUnique({ where: { id: newest.id } })).toBeNull();
});

test("an unknown person and a wrong password get the same answer", async () => {
  const answers = await Promise.all(
    [
      { email, password: "wrong password" },
      { email: "nobody@example.eu", password },
    ].map((body) => signInAs(body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  expect(await answers[0]?.text()).toBe(await answers[1]?.text());
});

test("behind https the cookie is bound to the host", async () => {
  const secure = openSignIn({ config: { ...config, PUBLIC_URL: "https://llm.example.eu" }, ...others });
  const response = await secure.handler(
    new Request("https://llm.example.eu/api/auth/sign-in/email", {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://llm.example.eu" },
      body: JSON.stringify({ email, password }),
    }),
  );
  expect(response.status).toBe(200);
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^__Host-portolan_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});

import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { data } from "#contract/common.ts";
import { uniqueConstraints } from "#server/db/unique-constraints.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" } });
const ours = await newOrganisation(server);
const { database } = server.services;
const Row = data(z.looseObject({ id: z.string() }));

const send = (method: string, path: string, body: object) =>
  server.send(method, path, { key: ours.key, body: JSON.stringify(body) });
const create = async (path: string, body: object) =>
  (await answer(Row, await send("POST", path, body), 201)).data.id;

// An organisation may have few destinations of one type.
afterEach(() => database.prisma.destination.deleteMany({ where: { org_id: ours.orgId } }).then(() => {}));

const inWorkspace = { workspace_id: ours.workspaceId };
const budget = { measure: "requests", limit: 1_000, period: "day" };
const destination = { type: "otel-collector", config: { endpoint: "http://127.0.0.1:9/v1/traces" } };

/** What people name, and where. */
const named = [
  { constraint: "workspace_org_id_name_key", path: "/workspaces", place: {}, makes: {} },
  {
    constraint: "alert_channel_org_id_name_key",
    path: "/alert-channels",
    place: {},
    makes: { type: "webhook", address: "http://127.0.0.1:9/alerts" },
  },
  {
    constraint: "alert_rule_org_id_name_key",
    path: "/alert-rules",
    place: {},
    makes: { kind: "low_credit" },
  },
  { constraint: "budget_org_id_name_key", path: "/budgets", place: {}, makes: budget },
  { constraint: "routing_rule_scope_owner_id_name_key_key", path: "/routing-rules", place: {}, makes: {} },
  {
    constraint: "routing_rule_scope_owner_id_name_key_key",
    path: "/routing-rules",
    place: inWorkspace,
    makes: {},
  },
  {
    constraint: "destination_owner_id_type_name_key_key",
    path: "/broadcast-destinations",
    place: {},
    makes: destination,
  },
  {
    constraint: "destination_owner_id_type_name_key_key",
    path: "/broadcast-destinations",
    place: inWorkspace,
    makes: destination,
  },
];

describe.each(named)("a taken name under $path in $place", ({ path, place, makes }) => {
  const body = (name: string) => ({ name, ...makes, ...place });

  test("is a conflict when it is made again, also by two at once", async () => {
    const taken = `Taken ${uuidv7()}`;
    await create(path, body(taken));
    expect((await refusal(await send("POST", path, body(taken)), 409, "name")).message).toContain("name: ");
    const both = await Promise.all([1, 2].map(() => send("POST", path, body(`${taken} at once`))));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  test("is a conflict when another one is renamed to it", async () => {
    const taken = `Taken ${uuidv7()}`;
    await create(path, body(taken));
    const other = await create(path, body(`${taken}, another`));
    await refusal(await send("PATCH", `${path}/${other}`, { name: taken }), 409, "name");
  });
});

test("a destination that is moved to where its name is taken is a conflict", async () => {
  const body = { ...destination, name: "Moved" };
  const ids = [
    await create("/broadcast-destinations", body),
    await create("/broadcast-destinations", { ...body, ...inWorkspace }),
  ];
  const [ofAll, ofWorkspace] = ids.map((id) => `/broadcast-destinations/${id}`);
  await refusal(await send("PATCH", `${ofAll}`, inWorkspace), 409, "name");
  await refusal(await send("PATCH", `${ofWorkspace}`, { workspace_id: null }), 409, "name");
});

test("two invitations of one new person, accepted at once, are one account, and no failure of ours", async () => {
  const email = `${uuidv7()}@test.example`;
  const other = await newOrganisation(server);
  const invite = async ({ key }: { key: string }) => {
    const body = JSON.stringify({ email, role: "member" });
    const Link = z.object({ link: z.string().nullable() });
    const { link } = await answer(Link, await server.send("POST", "/invitations", { key, body }), 201);
    return /[#?/]?(?:token=)?([\w-]{43})$/.exec(link ?? "")?.[1];
  };
  const tokens = [await invite(ours), await invite(other)];
  expect(tokens.every((token) => token !== undefined)).toBe(true);
  const answers = await Promise.all(
    tokens.map((token) =>
      server.send("POST", "/invitations/accept", {
        body: JSON.stringify({ token, name: "New", password: "correct horse battery staple" }),
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses[0]).toBe(200);
  expect([401, 409]).toContain(statuses[1]);
});

/** Where nobody gets through to the constraint one after the other, what the database says is asked of it directly. */
const rows = {
  invitation_org_id_email_key: async () => {
    const email = `${uuidv7()}@test.example`;
    const row = () => ({
      org_id: ours.orgId,
      email,
      role: "member",
      digest: uuidv7(),
      invited_by: ours.userId,
      expires_at: "2030-01-01T00:00:00.000Z",
    });
    return database.transaction(async (tx) => {
      await tx.invitation.create({ data: row() });
      await tx.invitation.create({ data: row() });
    });
  },
  member_org_id_user_id_key: () =>
    database.transaction((tx) =>
      tx.member.create({ data: { org_id: ours.orgId, user_id: ours.userId, role: "member" } }),
    ),
  user_email_key: () =>
    database.transaction(async (tx) => {
      const email = `${uuidv7()}@test.example`;
      await tx.user.create({ data: { id: uuidv7(), name: "a", email } });
      await tx.user.create({ data: { id: uuidv7(), name: "b", email } });
    }),
};

test.each(Object.entries(rows))("a second row of %s is a conflict that names the field", async (_, write) => {
  await expect(write()).rejects.toMatchObject({ code: "CONFLICT", param: "email" });
});

test("a taken slug is a conflict when a workspace is made or changed", async () => {
  await create("/workspaces", { name: "With a slug", slug: "taken" });
  await refusal(await send("POST", "/workspaces", { name: "Another", slug: "taken" }), 409, "slug");
  const other = await create("/workspaces", { name: "Without a slug" });
  await refusal(await send("PATCH", `/workspaces/${other}`, { slug: "taken" }), 409, "slug");
});

test("a taken name of a preset is a conflict, also by two at once and in another workspace", async () => {
  const body = { name: "taken", config: {} };
  await create("/presets", body);
  await refusal(await send("POST", "/presets", { ...body, ...inWorkspace }), 409, "name");
  const both = await Promise.all([1, 2].map(() => send("POST", "/presets", { ...body, name: "at-once" })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
});

test("every constraint on values that people choose is tried here", () => {
  const chosen = Object.keys(uniqueConstraints).filter((name) => uniqueConstraints[name] !== null);
  const tried = new Set([
    ...named.map(({ constraint }) => constraint),
    ...Object.keys(rows),
    "workspace_org_id_slug_key",
    "preset_org_id_name_key",
  ]);
  expect([...tried].toSorted()).toEqual(chosen.toSorted());
});

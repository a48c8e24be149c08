import { expect, test } from "vitest";
import type { RefusedRequest } from "#contract/refused-request.ts";
import { createOrganisation } from "#test/factories.ts";
import { faultyModels } from "./overlay.ts";
import { join, newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ ladder: { fr: "ok", de: "ok" }, failing: { fr: "500" } }),
});
const { post, services } = server;

const asked = { model: "test/ladder", prompt: "Where to?", max_tokens: 4 };
const complete = (key: string, body: object = {}, path = "/completions") =>
  post(path, { ...asked, ...body }, { key });
const errorOf = async (response: Response) =>
  (await response.json()) as {
    error: { code: string; message: string; metadata: Record<string, unknown> };
    requestId: string;
  };

/** The log of an organisation once all refusals so far are in it. */
async function refusals(key: string, query = ""): Promise<RefusedRequest[]> {
  await services.refusedRequests.flush();
  const response = await server.send("GET", `/refused-requests${query}`, { key });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: RefusedRequest[] }).data;
}

test("a request without an eligible provider is in the log with every endpoint's reason, as in its answer", async () => {
  const ours = await newOrganisation(server);
  const { error, requestId } = await errorOf(
    await complete(ours.key, { provider: { data_residency: "at" } }),
  );
  expect(error.code).toBe("SERVICE_UNAVAILABLE");
  const [row, ...others] = await refusals(ours.key);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    count: 1,
    request_ids: [requestId],
    api_key_id: ours.keyId,
    operation: "completions",
    model: "test/ladder",
    error_code: error.code,
    http_status: 503,
    message: error.message,
    excluded: error.metadata.excluded,
  });
  expect(row?.excluded).toHaveLength(2);
  const path = `/refused-requests/${row?.id}/explanation`;
  expect(await (await server.send("GET", path, { key: ours.key })).json()).toEqual({
    data: {
      refused_request_id: row?.id,
      summary: expect.stringMatching(
        /^All 2 endpoints were excluded\. 2 of them were excluded only by the request/,
      ),
      endpoints: 2,
      reasons: [
        {
          ...{ set_by: "the request", rule_id: null, rule: null, changed_since: null },
          ...{ requirements: ["data residency"], excluded: 2, alone: 2 },
        },
      ],
    },
  });
  const stranger = await newOrganisation(server);
  expect((await server.send("GET", path, { key: stranger.key })).status).toBe(404);
  expect(await services.database.prisma.generation.count({ where: { org_id: ours.orgId } })).toBe(0);
});

test("refusals by different rules are separate, and those by the same ones counted together", async () => {
  const ours = await newOrganisation(server);
  for (const provider of [{ data_residency: "at" }, { data_residency: "pl" }, { only: ["nobody"] }])
    await (await complete(ours.key, { provider })).text();
  const rows = await refusals(ours.key);
  expect(rows.map(({ count, param }) => [param, count]).toSorted()).toEqual([
    ["allowed providers", 1],
    ["data residency", 2],
  ]);
});

test("so are requests without credit, for unknown models, with invalid fields and in the background", async () => {
  const poor = await createOrganisation(services.database, { creditEur: "0.000001" });
  await services.refreshSnapshot();
  const { key } = poor;
  const answers = [
    await complete(key, { max_tokens: 100 }),
    await complete(key, { model: "no/such" }, "/chat/completions"),
    await complete(
      key,
      { model: "no/such", messages: [{ role: "user", content: "x" }] },
      "/chat/completions",
    ),
    await complete(key, { provider: { data_residenzy: "eu" } }),
    await post("/responses", { model: "no/such", input: "x", background: true }, { key }),
  ];
  const reported = await Promise.all(answers.map(errorOf));
  expect(answers.map(({ status }) => status)).toEqual([402, 400, 404, 400, 404]);
  const rows = await refusals(key);
  for (const { requestId, error } of reported)
    expect(rows).toContainEqual(
      expect.objectContaining({ request_ids: [requestId], error_code: error.code, message: error.message }),
    );
  expect(rows).toHaveLength(reported.length);
  const [credit] = await refusals(key, "?error_code=INSUFFICIENT_QUOTA");
  expect(Number(credit?.missing_eur)).toBeGreaterThan(0);
  const [typo] = await refusals(key, `?request_id=${reported[3]?.requestId}`);
  expect(typo).toMatchObject({ param: "provider.data_residenzy", model: null, http_status: 400 });
});

test("similar refusals of one day are one row with their number and the newest of them", async () => {
  const ours = await newOrganisation(server);
  const ids: string[] = [];
  for (let at = 0; at < 30; at++)
    ids.push((await errorOf(await complete(ours.key, { model: "no/such" }))).requestId);
  const [row, ...others] = await refusals(ours.key);
  expect(others).toEqual([]);
  expect(row?.count).toBe(30);
  await complete(ours.key, { model: "no/such" });
  const [later] = await refusals(ours.key);
  expect(later).toMatchObject({ id: row?.id, count: 31, first_at: row?.first_at });
  expect(later?.request_ids.slice(0, -1)).toEqual(ids.slice(-19));
});

test("a request that reached a provider is a generation, not a refusal", async () => {
  const ours = await newOrganisation(server);
  expect((await complete(ours.key, { model: "test/failing" })).status).toBe(502);
  expect(await refusals(ours.key)).toEqual([]);
});

test("the name of a rule of one person is shown to them and to administrators, and to nobody else", async () => {
  const ours = await newOrganisation(server);
  const [member, other] = [await join(server, ours, "member"), await join(server, ours, "member")];
  const admin = await join(server, ours, "admin");
  const rule = await post(
    "/routing-rules",
    { name: "Only for my divorce", scope: "user", provider: { data_residency: "at" } },
    { key: member.key },
  );
  expect(rule.status, await rule.clone().text()).toBe(201);
  expect((await complete(member.key)).status).toBe(503);
  const seen = async (key: string) => JSON.stringify(await refusals(key));
  expect(await seen(member.key)).toContain("Only for my divorce");
  expect(await seen(admin.key)).toContain("Only for my divorce");
  const hidden = await seen(other.key);
  expect(hidden).not.toContain("Only for my divorce");
  // Why they were refused stays.
  expect(hidden).toContain('"excluded_by":"data_region"');
});

import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { Tag } from "#contract/tag.ts";
import { UsageReport } from "#contract/usage-report.ts";
import { limits } from "#server/platform/limits.ts";
import { errorOf } from "./key-client.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { METRICS_TAGS: "metadata.cost-centre" } });
const { send, post, services } = server;

const put = (body: object) => send("PUT", "/tags", { body: JSON.stringify(body) });
const choose = async (...tags: string[]) => (await answer(data(Tag.array()), await put({ tags }))).data;
const today = () => new Date().toISOString().slice(0, 10);
const report = async (query: string) =>
  answer(UsageReport, await send("GET", `/activity?from=2026-01-01&to=2100-01-01&${query}`));
const ask = async (body: object) => {
  const prompt = { model: "sandbox/chat", max_tokens: 8, messages: [{ role: "user", content: "Hello." }] };
  const response = await post("/chat/completions", { ...prompt, ...body });
  expect(response.status).toBe(200);
  return response.headers.get("x-generation-id");
};

describe("tags", () => {
  test("group requests by keys of metadata, end user and app from when they are chosen", async () => {
    await ask({ metadata: { team: "before" } });
    expect(await choose("end_user", "metadata.team")).toMatchObject([
      { name: "end_user", values: 0 },
      { name: "metadata.team", values: 0 },
    ]);
    await ask({ metadata: { team: "research", other: "x" }, user: "ada" });
    await ask({ metadata: { team: "research" }, safety_identifier: "bob" });
    await ask({ metadata: { team: "sales" } });
    await ask({});
    await services.billing.drain();
    const teams = await report("group_by=tag_value&tag=metadata.team");
    expect(teams.data).toMatchObject([
      { tag_value: "research", requests: 2 },
      { tag_value: "sales", requests: 1 },
    ]);
    const users = await report("group_by=day,tag_value,model&tag=end_user");
    expect(users.data.map(({ tag_value: value, requests }) => [value, requests])).toEqual([
      ["ada", 1],
      ["bob", 1],
    ]);
    const one = await report("group_by=model&tag=metadata.team&tag_value=sales");
    expect(one.data).toMatchObject([{ model: "sandbox/chat", requests: 1 }]);
    const first = await report("group_by=tag_value&tag=metadata.team&limit=1");
    const next = await report(
      `group_by=tag_value&tag=metadata.team&limit=1&after=${encodeURIComponent(first.next ?? "")}`,
    );
    expect([first.data[0]?.tag_value, next.data[0]?.tag_value]).toEqual(["research", "sales"]);
    const rows = await services.database.prisma.generation.findMany({ orderBy: { id: "asc" } });
    expect(rows.map(({ tags }) => tags)).toEqual([
      null,
      { end_user: "ada", "metadata.team": "research" },
      { end_user: "bob", "metadata.team": "research" },
      { "metadata.team": "sales" },
      null,
    ]);
    // The sums of a tag are those of its requests.
    const total = teams.data.reduce((sum, { cost_eur }) => sum + Number(cost_eur), 0);
    const all = rows.filter(({ tags }) => tags !== null);
    const booked = all.reduce((sum, { cost_pico_eur }) => sum + Number(cost_pico_eur), 0);
    expect(total).toBeCloseTo(booked / 1e12, 11);
  });

  test("have a maximum of values per month: further ones are counted together, and this is reported", async () => {
    await choose("metadata.run");
    const org = await services.database.prisma.organisation.findFirstOrThrow();
    const month = `${today().slice(0, 7)}-01T00:00:00.000Z`;
    await services.database.prisma.tag_value.createMany({
      data: Array.from({ length: limits.tags.valuesMax - 1 }, (_, at) => ({
        ...{ org_id: org.id, tag: "metadata.run", month, value: `known ${at}` },
      })),
    });
    for (const run of ["a", "b", "c", "a", "known 7"]) await ask({ metadata: { run } });
    await services.billing.drain();
    const runs = await report("group_by=tag_value&tag=metadata.run");
    const counts: Record<string, number> = Object.fromEntries(
      runs.data.map(({ tag_value, requests }) => [tag_value ?? "", requests]),
    );
    expect(counts["known 7"]).toBe(1);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(Object.keys(counts)).toHaveLength(3);
    expect(counts["(other)"]).toBeGreaterThan(0);
    const { data: listed } = await answer(data(Tag.array()), await send("GET", "/tags"));
    expect(listed).toMatchObject([
      { name: "metadata.run", values: limits.tags.valuesMax, other_requests: counts["(other)"] },
    ]);
  });

  test("are in the metrics if METRICS_TAGS names them, with a maximum of values", async () => {
    await choose("metadata.cost-centre", "end_user");
    const counts = async (): Promise<readonly string[]> => {
      const text = await (await fetch(`${server.origin}/metrics`)).text();
      return text.split("\n").filter((line) => line.startsWith("portolan_tag_requests_total{"));
    };
    const { metricValuesMax } = limits.tags;
    for (let at = 0; at < metricValuesMax + 2; at++)
      await ask({ metadata: { "cost-centre": `c${at}` }, user: "ada" });
    await ask({ metadata: { "cost-centre": "c0" } });
    const lines = await counts();
    expect(lines).toHaveLength(metricValuesMax + 1);
    expect(lines).toContain('portolan_tag_requests_total{tag="metadata.cost-centre",value="c0"} 2');
    expect(lines).toContain('portolan_tag_requests_total{tag="metadata.cost-centre",value="(other)"} 2');
  });

  test("store no secret", async () => {
    await choose("metadata.team");
    const secret = `sk-${"a1B2".repeat(10)}`;
    await ask({ metadata: { team: secret } });
    await services.billing.drain();
    expect(JSON.stringify(await report("group_by=tag_value&tag=metadata.team"))).not.toContain(secret);
  });

  test.each([
    [{ tags: ["metadata."] }, "tags.0"],
    [{ tags: ["team"] }, "tags.0"],
    [{ tags: ["app", "app"] }, "tags"],
    [{ tags: Array.from({ length: 9 }, (_, at) => `metadata.k${at}`) }, "tags"],
    [{}, "tags"],
  ])("are refused with the name of the field: %j", async (body, param) => {
    const response = await put(body);
    expect([response.status, (await errorOf(response)).param]).toEqual([400, param]);
  });

  test.each(["group_by=tag_value", "group_by=day&tag_value=x"])(
    "are named in a report: %s",
    async (query) => {
      const response = await send("GET", `/activity?from=2026-01-01&to=2026-01-02&${query}`);
      expect([response.status, (await errorOf(response)).param]).toEqual([400, "tag"]);
    },
  );
});

import { describe, expect, test, vi } from "vitest";
import { data } from "#contract/common.ts";
import { Delivery, DestinationTest } from "#contract/destination.ts";
import { startRecorder } from "#test/destinations/recorder.ts";
import { chat, startBroadcasting } from "./broadcasting.ts";
import { One } from "./destination-client.ts";
import { newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";

const { server, ours, sink, call, create, ask, deliveries, finished } = await startBroadcasting();

describe("selection of destinations", () => {
  test("a destination gets only its workspace, its keys and what matches its filter", async () => {
    const other = await newOrganisation(server);
    const filter = (field: string, operator: string, value: string | number) => ({
      filter_rules: { groups: [{ rules: [{ field, operator, value }] }] },
    });
    const ids = {
      elsewhere: await create({ name: "a", workspace_id: ours.workspaceId }),
      key: await create({ name: "b", api_key_filter: [ours.keyId] }),
      passes: await create({ name: "c", ...filter("input", "regex", "[Rr]iver"), privacy_mode: true }),
      fails: await create({ name: "d", ...filter("total_tokens", "gt", 1_000_000) }),
      off: await create({ name: "e", enabled: false }),
    };
    await ask(chat);
    await ask(chat, other.key);
    await finished(ids.key, 1);
    await finished(ids.passes, 1);
    for (const id of [ids.elsewhere, ids.fails, ids.off]) expect(await deliveries(id)).toEqual([]);
  });

  test("a filter on the content works, and the database contains no plain content while it is pending", async () => {
    const search = (operator: string, value: string) => ({
      filter_rules: { groups: [{ rules: [{ field: "input", operator, value }] }] },
    });
    const ids = {
      finds: await create({ name: "a", ...search("contains", "river") }),
      finds2: await create({ name: "b", ...search("regex", "(river|lake) of"), privacy_mode: true }),
      misses: await create({ name: "c", ...search("regex", "Alps") }),
      notThere: await create({ name: "d", ...search("not_contains", "river") }),
    };
    await ask(chat);
    expect(await finished(ids.finds, 1)).toMatchObject([{ status: "delivered", content: "sent" }]);
    expect(await finished(ids.finds2, 1)).toMatchObject([{ status: "delivered", content: "private" }]);
    for (const id of [ids.misses, ids.notThere]) expect(await deliveries(id)).toEqual([]);
  });

  test("a filter that takes too long sends nothing, reports it, and delays nobody", async () => {
    const slow = { field: "input", operator: "regex", value: `${".?".repeat(120)}Q` };
    const groups = Array.from({ length: 10 }, () => ({ logic: "or", rules: Array(20).fill(slow) }));
    const late = await create({ name: "late", filter_rules: { groups } });
    const quick = await create({ name: "quick" });
    const text = "x".repeat(5_000_000);
    const begunMs = performance.now();
    await ask({ model: "test/long", messages: [{ role: "user", content: text }] });
    await ask(chat);
    expect(performance.now() - begunMs).toBeLessThan(20_000);
    expect(await finished(quick, 2)).toHaveLength(2);
    const reason = "The filter took too long: nothing was sent";
    expect(await finished(late, 1)).toMatchObject([{ status: "failed", reason, attempts: 0 }]);
    expect((await answer(One, await call("GET", `/${late}`))).data.health).toMatchObject({
      consecutive_failures: 1,
      last_error: reason,
    });
    const [failed] = await deliveries(late);
    expect((await call("POST", `/${late}/deliveries/${failed?.id}/retry`)).status).toBe(409);
  });

  test("what a process was still searching when it died is not sent, and reported", async () => {
    const id = await create({});
    const generation = await ask(chat);
    await finished(id, 1);
    const other = await create({ name: "other" });
    const { database, destinations } = server.services;
    const lost = { generation_id: generation, content: "sent", awaited: [other] };
    const write = () => database.batch((client) => destinations.outbox.write(client, [lost]));
    expect([await write(), await write()]).toEqual([[], []]);
    expect(await deliveries(other)).toMatchObject([
      {
        status: "failed",
        reason: "The process ended, or could not store, before the filter was done: nothing was sent",
      },
    ]);
  });

  test("nothing is stored for an organisation without destinations", async () => {
    const before = await server.services.database.prisma.destination_delivery.count();
    await ask(chat);
    await server.services.billing.drain();
    expect(await server.services.database.prisma.destination_delivery.count()).toBe(before);
  });
});

describe("failures", () => {
  test("a refused delivery fails with its reason, and can be retried", async () => {
    const id = await create({});
    sink.reply = () => ({ status: 403, body: "the key sk-123 is wrong" });
    const generation = await ask(chat);
    const [failed] = await finished(id, 1);
    expect(failed).toMatchObject({ status: "failed", response_code: 403, reason: "Answered 403" });
    expect((await answer(One, await call("GET", `/${id}`))).data.health).toMatchObject({
      consecutive_failures: 1,
      last_error: "Answered 403",
    });
    sink.reply = () => ({ status: 200 });
    const again = await call("POST", `/${id}/deliveries/${failed?.id}/retry`);
    expect((await answer(data(Delivery), again)).data).toMatchObject({ status: "pending" });
    expect(
      await vi.waitFor(
        async () => {
          const [row] = await deliveries(id, "?status=delivered");
          expect(row).toBeDefined();
          return row;
        },
        { timeout: 10_000 },
      ),
    ).toMatchObject({ id: failed?.id, generation_id: generation });
    await refusal(await call("POST", `/${id}/deliveries/${failed?.id}/retry`), 409, "delivery_id");
  });

  test.each(["http/json", "http/protobuf"])(
    "spans that a receiver refused over %s count as failed, with the reason",
    async (encoding) => {
      const id = await create({ config: { endpoint: sink.origin, protocol: encoding } });
      sink.reply = () =>
        encoding === "http/json"
          ? {
              status: 200,
              headers: { "content-type": "application/json" },
              body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}',
            }
          : {
              status: 200,
              headers: { "content-type": "application/x-protobuf" },
              body: Buffer.from([0x0a, 2, 0x08, 1]),
            };
      await ask(chat);
      const reason = "Answered 200, and refused 1 of the 1 spans of the request";
      expect(await finished(id, 1)).toMatchObject([{ status: "failed", response_code: 200, reason }]);
      expect((await answer(One, await call("GET", `/${id}`))).data.health).toMatchObject({
        consecutive_failures: 1,
        last_error: reason,
      });
      expect(sink.seen).toHaveLength(1);
    },
  );

  test("an invalid stored configuration fails its deliveries, and the test names the field", async () => {
    const id = await create({});
    await server.services.database.prisma.destination.update({
      where: { id },
      data: { config: { endpoint: "nowhere" } },
    });
    await ask(chat);
    const reason = "The request could not be made: test the destination, and correct its configuration";
    expect(await finished(id, 1)).toMatchObject([{ status: "failed", response_code: null, reason }]);
    await refusal(await call("POST", `/${id}/test`), 400, "config.endpoint");
  });

  test("410 stops a destination until it is changed", async () => {
    const id = await create({});
    sink.reply = () => ({ status: 410 });
    await ask(chat);
    await server.services.billing.drain();
    await vi.waitFor(
      async () => {
        const { health } = (await answer(One, await call("GET", `/${id}`))).data;
        expect(health).toMatchObject({ state: "stopped", stopped_reason: expect.stringContaining("410") });
      },
      { timeout: 10_000 },
    );
    sink.reply = () => ({ status: 200 });
    await call("PATCH", `/${id}`, { enabled: true });
    expect((await answer(One, await call("GET", `/${id}`))).data.health.state).toBe("active");
  });

  test.each([301, 302, 303, 307, 308])("a redirect with %i is not followed", async (status) => {
    const target = await startRecorder();
    const id = await create({});
    sink.reply = () => ({ status, headers: { location: `${target.origin}/v1/traces` } });
    await ask(chat);
    expect((await finished(id, 1))[0]?.reason).toContain("redirect");
    expect(target.seen).toEqual([]);
  });

  test.each([
    [200, true, 200],
    [400, true, 400],
    [401, false, 401],
    [404, false, 404],
    [429, false, 429],
    [302, false, 302],
    [500, false, 500],
  ])("a test answered with %i reports success %s", async (status, success, said) => {
    const id = await create({});
    sink.reply = () => ({
      status,
      body: "internal detail 10.0.0.7",
      headers: { location: "http://10.0.0.7/" },
    });
    const result = (await answer(data(DestinationTest), await call("POST", `/${id}/test`))).data;
    expect(result).toMatchObject({ success, status: said });
    expect(result.message).not.toContain("10.0.0.7");
    expect(sink.seen[0]?.headers["x-test-connection"]).toBe("true");
    expect(JSON.parse(sink.seen[0]?.body.toString() ?? "")).toEqual({ resourceSpans: [] });
  });
});

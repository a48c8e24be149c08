import { describe, expect, test } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import { secret, startByokServer } from "./byok-server.ts";
import { join, newOrganisation } from "./people.ts";

const { server, upstream, refusedKeys, authorizations, chat, add, remove } = await startByokServer();
const { post, send, services } = server;

/** What lists say of the only model and endpoint that the credential is for. */
async function listed(key?: string) {
  const read = async (path: string) => (await send("GET", path, key ? { key } : {})).json();
  const { data } = (await read("/models")) as { data: { id: string; available: boolean }[] };
  const { data: model } = (await read("/models/test/shared/endpoints")) as {
    data: { endpoints: { status: number }[] };
  };
  return [data.find(({ id }) => id === "test/shared")?.available, model.endpoints[0]?.status];
}

describe("an own credential that cannot be decrypted", () => {
  const spoil = async ({ id }: ProviderCredential) => {
    await services.database.prisma.provider_credential.update({
      where: { id },
      data: { secret: "v1.spoiled" },
    });
    await services.database.prisma.$executeRaw`update config_version set version = version + 1`;
    await services.refreshSnapshot();
  };

  test("is not replaced by the installation's: requests are refused with the reason until it is saved again", async () => {
    const made = await add({ provider: "shared" });
    expect(await listed()).toEqual([true, 0]);
    await spoil(made);
    expect(await listed()).toEqual([false, -10]);
    const refused = await chat("test/shared");
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("save it again")]);
    expect(authorizations()).toEqual([]);
    const dry = await post("/routing-rules/dry-run", { model: "test/shared" });
    expect(await dry.text()).toContain('"own_credential"');
    const shown = await send("GET", "/byok");
    expect(await shown.json()).toMatchObject({ data: [{ problem: expect.stringContaining("again") }] });
    expect((await send("POST", `/byok/${made.id}/check`, { body: "{}" })).status).toBe(409);
    const stranger = await join(server, await newOrganisation(server), "owner");
    expect(await listed(stranger.key)).toEqual([true, 0]);
    expect((await chat("test/shared", stranger.key)).status).toBe(200);
    upstream.received.length = 0;
    await send("PATCH", `/byok/${made.id}`, { body: JSON.stringify({ key: secret }) });
    expect((await chat("test/shared")).status).toBe(200);
    expect(authorizations()).toEqual([`Bearer ${secret}`]);
    await remove(made);
  });

  test("leaves another own credential in use, without the installation's after it", async () => {
    const [first, second] = [
      await add({ provider: "shared" }),
      await add({ provider: "shared", key: "sk-second" }),
    ];
    await spoil(first);
    expect((await chat("test/shared")).status).toBe(200);
    refusedKeys.set("sk-second", 401);
    expect((await chat("test/shared")).status).not.toBe(200);
    expect(new Set(authorizations())).toEqual(new Set(["Bearer sk-second"]));
    await remove(first);
    await remove(second);
  });

  test("does not matter while it is disabled, or for models that it is not for", async () => {
    const made = await add({ provider: "shared", allowed_models: ["test/other"] });
    await spoil(made);
    expect((await chat("test/shared")).status).toBe(200);
    const patch = (body: object) => send("PATCH", `/byok/${made.id}`, { body: JSON.stringify(body) });
    await patch({ allowed_models: null, disabled: true });
    expect((await chat("test/shared")).status).toBe(200);
    expect(authorizations()).toEqual(["Bearer installation-secret", "Bearer installation-secret"]);
    await remove(made);
  });
});

import { describe, expect, test } from "vitest";
import { configurationKinds } from "#contract/configuration-kinds.ts";
import {
  complete,
  configurationClient,
  newEmptyOrganisation,
  rowsOf,
  secrets,
  settings,
} from "./configuring.ts";
import { join } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings });

describe("prune", () => {
  test("what is not in the file stays and is named; with prune it is deleted, but not the calling key", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan } = configurationClient(server, ours.key);
    await apply(complete, { secrets });
    const pruned = configurationKinds.filter((kind) => !["workspaces", "prices"].includes(kind));
    const file = ["version: 1", ...pruned.map((kind) => `${kind}: []`), ""].join("\n");
    const planned = await plan(file);
    expect(planned.changes).toEqual([]);
    expect(planned.unlisted).toHaveLength(23);
    const { changes } = await apply(file, { prune: true });
    expect(changes).toHaveLength(23);
    expect(await rowsOf(server, ours.orgId)).toMatchObject({
      workspaces: 2,
      keys: 1,
      rules: 0,
      destinations: 0,
      budgets: 0,
      presets: 0,
      channels: 0,
      alerts: 0,
      entries: 0,
      credentials: 0,
    });
  });

  test("what something refers to is not deleted while that stays", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, call } = configurationClient(server, ours.key);
    await apply(complete, { secrets });
    const { status, error } = await call("/config/plan", { file: "version: 1\nkeys: []\n", prune: true });
    expect([status, error.message]).toEqual([
      400,
      expect.stringMatching(
        /^line 1: credentials ".+", which stays, refers to "Search service" of keys, which would be deleted/,
      ),
    ]);
  });

  test("a budget that counts something else is replaced, with prune only", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, call } = configurationClient(server, ours.key);
    const file = "version: 1\nbudgets:\n  - { name: A, measure: eur, limit: 1, period: day }\n";
    await apply(file);
    const other = file.replace("day", "week");
    const { status, error } = await call("/config/apply", { file: other, digest: null });
    expect([status, error.message]).toEqual([
      400,
      "budgets.0.period, line 3: cannot be changed; with prune, the resource is deleted and created again",
    ]);
    expect((await apply(other, { prune: true })).changes).toMatchObject([{ action: "replace" }]);
    expect((await apply(other, { prune: true })).changes).toEqual([]);
  });
});

describe("one workspace", () => {
  test("only its resources are exported, compared and deleted", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan, call, export: exported } = configurationClient(server, ours.key);
    await apply(complete, { secrets });
    const file = await exported("?workspace=Research");
    expect([...file.matchAll(/^ {2}- name: (.+)$/gm)].map(([, name]) => name)).toEqual([
      "Research",
      "Search service",
      "EU only",
      "Collector",
      "Researchers",
      "support",
    ]);
    expect((await plan(file, { workspace: "Research", prune: true })).changes).toEqual([]);
    const empty = "version: 1\nrules: []\ndestinations: []\nbudgets: []\n";
    const { changes } = await plan(empty, { workspace: "Research", prune: true });
    expect(changes).toHaveLength(3);
    const outside = await call("/config/plan", { file: complete, workspace: "Research" });
    expect([outside.status, outside.error.message]).toEqual([
      400,
      expect.stringContaining("does not belong to the workspace"),
    ]);
    const unknown = await call("/config/plan", { file: empty, workspace: "Nobody" });
    expect([unknown.status, unknown.error.param]).toEqual([400, "workspace"]);
  });
});

describe("permissions", () => {
  test("members cannot plan, a key needs the permission of each change, and names of others do not exist", async () => {
    const [ours, theirs] = [await newEmptyOrganisation(server), await newEmptyOrganisation(server)];
    const member = await join(server, ours, "member");
    const file = "version: 1\nworkspaces:\n  - name: A\n";
    expect((await configurationClient(server, member.key).call("/config/plan", { file })).status).toBe(403);
    expect((await server.send("GET", "/config/export", { key: member.key })).status).toBe(403);
    const made = await server.post(
      "/keys",
      {
        name: "planner",
        permissions: [
          "workspaces:read",
          "workspaces:write",
          "keys:read",
          "routing:read",
          "broadcast:read",
          "members:read",
          "activity:read",
        ],
      },
      { key: ours.key },
    );
    const { key } = (await made.json()) as { key: string };
    await configurationClient(server, key).apply(file);
    const rule = "version: 1\nrules:\n  - name: A\n";
    expect((await configurationClient(server, key).plan(rule)).changes).toHaveLength(1);
    const refused = await configurationClient(server, key).call("/config/apply", {
      file: rule,
      digest: null,
    });
    expect([refused.status, refused.error.message]).toEqual([403, "This needs the permission routing:write"]);
    await configurationClient(server, theirs.key).apply("version: 1\nworkspaces:\n  - name: Theirs\n");
    const foreign = "version: 1\nrules:\n  - { name: A, scope: workspace, workspace: Theirs }\n";
    expect((await configurationClient(server, ours.key).call("/config/plan", { file: foreign })).status).toBe(
      400,
    );
  });
});

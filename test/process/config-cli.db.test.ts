import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { directoryOfFile } from "#test/directories.ts";
import { repository } from "../architecture/source-files.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" } });
const run = promisify(execFile);
const directory = directoryOfFile();
const path = join(directory, "portolan.yaml");

/** What the command prints; rejects with its error output and exit code. */
async function cli(args: string[], variables: Record<string, string> = {}): Promise<string> {
  const env = {
    ...process.env,
    PORTOLAN_URL: server.origin,
    PORTOLAN_API_KEY: server.key,
    ...variables,
  };
  const { stdout } = await run(process.execPath, [join(repository, "scripts/cli.ts"), "config", ...args], {
    env,
  });
  return stdout;
}

const file = `version: 1
workspaces:
  - { name: Research, limit: 100 }
keys:
  - { name: Search service, workspace: Research }
destinations:
  - name: Hook
    type: webhook
    config: { url: http://127.0.0.1:9, apiKey: env:PORTOLAN_SECRET_HOOK, headers: { x-team: file:team.txt } }
`;

test("a file is planned, applied, exported and checked for drift from the command line", async () => {
  writeFileSync(path, file);
  writeFileSync(join(directory, "team.txt"), "harbour\n");
  const secrets = { PORTOLAN_SECRET_HOOK: "hook-secret" };
  const plan = await cli(["plan", "-f", path]);
  expect(plan).toContain(
    '3 to create, 0 to change, 0 to replace, 0 to delete:\n  + create workspaces "Research"',
  );
  expect(plan).toContain("Secrets without a value here (stored ones stay):\n  env:PORTOLAN_SECRET_HOOK\n");
  await expect(cli(["apply", "-f", path])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("secrets: there is no value for env:PORTOLAN_SECRET_HOOK (400"),
  });

  const complete = await cli(["plan", "-f", path], secrets);
  const [, digest = ""] = /Digest of the plan:\n {2}([0-9a-f]{64})/.exec(complete) ?? [];
  await expect(cli(["apply", "-f", path, "--digest", "0".repeat(64)], secrets)).rejects.toMatchObject({
    stderr: expect.stringContaining("plan again (409"),
  });
  const applied = await cli(["apply", "-f", path, "--digest", digest], secrets);
  expect(applied).toMatch(
    /Applied\.\n\nGenerated API keys, which are not shown again:\n {2}Search service: ptl_\w+\n/,
  );
  expect(applied).not.toContain("hook-secret");
  expect(await cli(["apply", "-f", path], secrets)).toMatch(/^No changes\./);
  expect(await cli(["drift", "-f", path], secrets)).toBe("The state is that of the file.\n");

  expect(await cli(["drift", "-f", path])).toBe(
    "The state is that of the file.\n\nSecrets without a value here (stored ones stay):\n  env:PORTOLAN_SECRET_HOOK\n",
  );

  await server.post("/workspaces", { name: "By hand" });
  await expect(cli(["drift", "-f", path], secrets)).rejects.toMatchObject({
    code: 2,
    stdout: expect.stringContaining('- delete workspaces "By hand"'),
  });
  await expect(cli(["drift", "-f", join(directory, "none.yaml")])).rejects.toMatchObject({ code: 1 });
  const drift = await cli(["plan", "-f", path, "--json"], { PORTOLAN_SECRET_HOOK: "another" });
  expect(JSON.parse(drift)).toMatchObject({
    changes: [{ name: "Hook (webhook)", fields: [{ field: "config.apiKey" }] }],
    unlisted: [{ name: "By hand" }],
  });

  expect(await cli(["export", "-f", path, "--workspace", "Research"])).toBe(`Written to ${path}.\n`);
  expect(readFileSync(path, "utf8")).toContain("name: Search service");
  expect(await cli(["plan", "-f", path, "--workspace", "Research", "--prune"])).toMatch(/^No changes\./);
  expect(await cli(["export"])).toContain("env:PORTOLAN_SECRET_HOOK_WEBHOOK_API_KEY");
});

test("a file that refers to other secrets of the job is refused", async () => {
  const stolen = join(directory, "stolen.yaml");
  writeFileSync(stolen, file.replace("env:PORTOLAN_SECRET_HOOK", "env:PORTOLAN_API_KEY"));
  for (const command of ["plan", "apply", "drift"])
    await expect(cli([command, "-f", stolen])).rejects.toMatchObject({
      code: 1,
      stderr: "env:PORTOLAN_API_KEY is not read: the name of the variable must start with PORTOLAN_SECRET_\n",
    });
});

test("a file that is missing or wrong is named, with the line", async () => {
  await expect(cli(["plan", "-f", join(directory, "none.yaml")])).rejects.toMatchObject({
    stderr: expect.stringMatching(/none\.yaml cannot be read/),
  });
  writeFileSync(path, "version: 1\nkeys:\n  - name: A\n    limt: 1\n");
  await expect(cli(["plan", "-f", path])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("keys.0.limt, line 4: is not a known field; valid are name, "),
  });
});

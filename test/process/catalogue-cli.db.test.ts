import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { directoryOfFile } from "#test/directories.ts";
import { shippedCatalogue } from "#test/shipped-document.ts";
import { repository } from "../architecture/source-files.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const run = promisify(execFile);

/** What the command prints; rejects with its error output. */
async function cli(...args: string[]): Promise<string> {
  const env = { ...process.env, PORTOLAN_URL: server.origin, PORTOLAN_API_KEY: server.key };
  const script = join(repository, "scripts/cli.ts");
  const { stdout } = await run(process.execPath, [script, "catalogue", ...args], { env });
  return stdout;
}

test("a catalogue file is compared, applied and undone from the command line", async () => {
  const file = shippedCatalogue();
  const [provider, model] = [file.providers.find(({ base_url }) => base_url !== null), file.models[0]];
  if (provider) provider.base_url = "https://elsewhere.example.eu/v1";
  if (model) model.context_length = 7;
  const path = join(directoryOfFile(), "newer.json");
  writeFileSync(path, JSON.stringify(file));

  const shown = await cli("update", path);
  expect(shown).toContain("newer.json, of ");
  expect(shown).toMatch(
    new RegExp(`details: 0 new, 0 gone, 1 changed\n  ~ ${model?.id} context_length: \\S+ -> 7`),
  );
  expect(shown).toContain(`  elsewhere.example.eu (${provider?.slug})`);
  expect(shown).toContain("Nothing was changed. Apply it with --apply.");
  await expect(cli("update", path, "--apply")).rejects.toMatchObject({
    stderr: expect.stringContaining("accept_hosts: must name all new hosts"),
  });

  const hosts = ["--accept-hosts", "elsewhere.example.eu"];
  expect(await cli("update", path, "--apply", ...hosts)).toMatch(/\nApplied\.\n$/);
  const [, id = ""] = /^(\S+) +in use /m.exec(await cli("updates")) ?? [];
  expect(await cli("undo", id)).toBe("Undone.\n");
  expect(await cli("updates")).toMatch(new RegExp(`^${id} +undone `, "m"));
});

test("a file that cannot be used is refused with its problems, and one that is not there is named", async () => {
  const path = join(directoryOfFile(), "wrong.json");
  writeFileSync(path, JSON.stringify({ ...shippedCatalogue(), extra: 1 }));
  await expect(cli("update", path)).rejects.toMatchObject({ stderr: expect.stringContaining('"extra"') });
  await expect(cli("update", "/nowhere.json")).rejects.toMatchObject({
    stderr: expect.stringContaining("/nowhere.json cannot be read"),
  });
});

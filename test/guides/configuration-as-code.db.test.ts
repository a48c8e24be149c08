import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "#test/architecture/source-files.ts";
import { directoryOfFile } from "#test/directories.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const guide = readDocument("docs/guides/configuration-as-code.md");
const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_DESTINATIONS: "otel.example.com",
    ALLOW_PRIVATE_OWN_PROVIDERS: "gpu.example.com",
  },
});
const directory = directoryOfFile();
const path = join(directory, "portolan.yaml");
const run = promisify(execFile);

/** Runs a command of the guide in the directory of its file. */
async function cli(command: string): Promise<string> {
  const [program, ...words] = command.trim().split(/\s+/);
  expect([program, ...words.slice(0, 3)]).toEqual(["npm", "run", "cli", "--"]);
  const args = words.slice(3).map((word) => (word === "portolan.yaml" ? path : word));
  const { stdout } = await run(process.execPath, [join(repository, "scripts/cli.ts"), ...args], {
    env: {
      ...process.env,
      PORTOLAN_URL: server.origin,
      PORTOLAN_API_KEY: server.key,
      PORTOLAN_SECRET_COLLECTOR: "Bearer collector",
      PORTOLAN_SECRET_GPU: "gpu-credential",
      PORTOLAN_SECRET_DUTY: "https://otel.example.com/duty",
    },
  });
  return stdout;
}

test("docs/guides/configuration-as-code.md: its commands and its file do what it says", async () => {
  const [settings, exported, plan, apply, drift, curl = ""] = codeBlocks(guide, "sh");
  expect(settings).toContain("PORTOLAN_API_KEY");
  expect(await cli(exported ?? "")).toContain("Written to");
  expect(readFileSync(path, "utf8")).toContain("version: 1");
  writeFileSync(path, codeBlocks(guide, "yaml")[0] ?? "");
  expect(await cli(plan ?? "")).toContain("14 to create");
  expect(await cli(apply ?? "")).toMatch(/Applied\.[\s\S]+Chat widget: ptl_/);
  expect(await cli(plan ?? "")).toMatch(/^No changes\./);
  expect(await cli(drift ?? "")).toBe("The state is that of the file.\n");
  const answer = await runCurl(curl, server.origin, { PORTOLAN_API_KEY: server.key });
  expect(await answer.json()).toMatchObject({
    data: { changes: [{ action: "update", fields: [{ field: "limit", before: 250, after: 300 }] }] },
  });
});

test("docs/guides/configuration-as-code.md: the commands for CI exist", async () => {
  const [ci = ""] = codeBlocks(guide, "text");
  const { stderr } = await run(process.execPath, [join(repository, "scripts/cli.ts")]).catch(
    (error) => error,
  );
  for (const [, command = ""] of ci.matchAll(/^npm run cli -- (config \w+) /gm))
    expect(stderr).toContain(command);
});

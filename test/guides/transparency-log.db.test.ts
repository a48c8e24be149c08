import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { directoryOfFile } from "#test/directories.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument } from "./guide.ts";

const { origin, key, post, services } = await startTestServer();
const directory = directoryOfFile();
const [
  proveEntry = "",
  storeKey = "",
  proveRequest = "",
  proveContent = "",
  replayDecision = "",
  proveGrowth = "",
] = codeBlocks(readDocument("docs/transparency-log.md"), "sh").map((block) =>
  block.replaceAll("http://127.0.0.1:3000", origin),
);

/** Runs commands of the guide in a directory that has `scripts/`. Rejects with what they print if they fail. */
async function shell(commands: string, variables: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "bash",
    [
      "-euc",
      `scripts=${process.cwd()}/scripts\ncd ${directory}\n${commands.replaceAll("scripts/verify", "$scripts/verify")}`,
    ],
    { env: { ...process.env, PORTOLAN_API_KEY: key, ...variables } },
  );
  return stdout.trim();
}

test("docs/transparency-log.md: an entry is verified offline, and later that the log only grew", async () => {
  await services.transparency.sequencer.run();
  const [logKey = ""] = (await shell(storeKey)).split("\n");
  const variables = { LOG_KEY: logKey };
  const verified = await shell(proveEntry, variables);
  expect(verified).toMatch(/^VALID\nProven: this entry of the audit log is entry 0 of the log /);
  expect(verified).toContain("position: 1");
  expect((await post("/keys", { name: "Later" })).status).toBe(201);
  await services.transparency.sequencer.run();
  expect(await shell(proveGrowth, variables)).toMatch(/^VALID\nProven: the log .* none of them was changed/s);
});

test("docs/transparency-log.md: the receipt of a request says who received it and what was known of them", async () => {
  const question = { model: "sandbox/chat", prompt: "Say hello", user: "ada@example.test" };
  const answer = await post("/completions", question);
  expect(answer.status).toBe(200);
  await services.billing.drain();
  await services.transparency.sequencer.run();
  const [logKey = ""] = (await shell(storeKey)).split("\n");
  const id = answer.headers.get("x-generation-id") ?? "";
  const text = await shell(proveRequest, { LOG_KEY: logKey, GENERATION_ID: id });
  expect(text).toMatch(/^VALID\nProven: this request is entry \d+ of the log /);
  expect(text).toMatch(
    /was received by: sandbox-\w+:sandbox\/chat \(ok, HTTP 200\)\n {6}Sandbox [\w ]+, seat: /,
  );
  expect(text).toMatch(/days of retention: (\d+|unknown) \([^)]+\)/);
  expect(text).toContain('user_reference: "ada@example.test"');
  expect(text).not.toContain("Say hello");
});

test("docs/transparency-log.md: what a request and its answer said is verified with the key of the client", async () => {
  const [logKey = ""] = (await shell(storeKey)).split("\n");
  const text = await shell(proveContent, { LOG_KEY: logKey });
  expect(text).toContain("Proven: the request is the one of this receipt.");
  expect(text).toContain("Proven: the answer is the one of this receipt.");
  expect(text).not.toContain("Say hello");
});

test("docs/transparency-log.md: the decision about a request is made again", async () => {
  const answer = await post("/completions", { model: "sandbox/chat", prompt: "Say hello" });
  await services.billing.drain();
  const id = answer.headers.get("x-generation-id") ?? "";
  expect(await shell(replayDecision, { GENERATION_ID: id })).toBe("identical\ntrue");
});

test("a changed file is not valid, and the program exits with 1", async () => {
  await services.transparency.sequencer.run();
  const [logKey = ""] = (await shell(storeKey)).split("\n");
  await shell(proveEntry, { LOG_KEY: logKey });
  const path = join(directory, "proof.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("organisation.create", "organisation.delete"));
  const failure = shell("node scripts/verify.mjs proof.json", {});
  await expect(failure).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(/^NOT VALID: /) });
  const other = logKey.replace(/\+[0-9a-f]{8}\+/, "+00000000+");
  await expect(shell(`node scripts/verify.mjs proof.json --key '${other}'`)).rejects.toMatchObject({
    code: 1,
  });
  await expect(shell("node scripts/verify.mjs missing.json")).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("no such file"),
  });
});

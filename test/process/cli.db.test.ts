import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "../architecture/source-files.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const run = promisify(execFile);

/** What the command prints; rejects with its error output. */
async function cli(args: string[], key = server.key): Promise<string> {
  const env = { ...process.env, PORTOLAN_URL: server.origin, PORTOLAN_API_KEY: key };
  const { stdout } = await run(process.execPath, [join(repository, "scripts/cli.ts"), ...args], { env });
  return stdout;
}

test("a key is created, listed, used and revoked from the command line", async () => {
  const made = await cli(["keys", "create", "From the shell", "--limit", "5", "--limit-reset", "monthly"]);
  const [key = ""] = made.split("\n");
  const hash = key.slice(4, 16);
  expect(made).toContain(`keys revoke ${hash}`);
  expect(await cli(["keys", "list"])).toMatch(new RegExp(`^${hash} +From the shell +0 +5 +active$`, "m"));
  expect(await cli(["credits", "show"], key)).toMatch(/^My organisation: 10\.000000 EUR left/);
  expect(await cli(["keys", "revoke", hash])).toBe("Revoked.\n");
  await expect(cli(["credits", "show"], key)).rejects.toMatchObject({
    stderr: expect.stringContaining("401"),
  });
});

test("a person is invited and listed from the command line", async () => {
  const made = await cli(["users", "create", "grace@example.eu", "--role", "viewer"]);
  const token = new URL(made.split("\n")[0] ?? "").hash.slice(1);
  const joining = { token, name: "Grace", password: "correct horse battery" };
  expect((await server.post("/invitations/accept", joining, { key: null })).status).toBe(200);
  expect(await cli(["users", "list"])).toMatch(/^[0-9a-f-]{36} +grace@example\.eu +Grace +viewer +active$/m);
  await expect(cli(["users", "create", "grace@example.eu"])).rejects.toMatchObject({
    stderr: expect.stringContaining("409"),
  });
  await expect(cli(["users", "create", "a@example.eu", "--role", "king"])).rejects.toMatchObject({
    stderr: expect.stringContaining("role: must be owner, admin, member or viewer"),
  });
});

test("an organisation is created, renamed, suspended, resumed and deleted from the command line", async () => {
  const made = await cli([
    "organisations",
    "create",
    "City",
    "library",
    "--owner",
    "o@example.eu",
    "--credit",
    "3",
  ]);
  const [, id = ""] = /^Created ([0-9a-f-]{36})\.\n\nhttp\S+#\S{43}\n/.exec(made) ?? [];
  expect(await cli(["organisations", "list", "--search", "city"])).toMatch(
    new RegExp(`^${id} +City library +0 +3\\.000000 +active$`, "m"),
  );
  expect(await cli(["organisations", "rename", id, "--name", "City libraries"])).toContain("City libraries");
  expect(await cli(["organisations", "invite", id, "--owner", "p@example.eu"])).toContain("p@example.eu");
  await expect(cli(["organisations", "delete", id, "--name", "City libraries"])).rejects.toMatchObject({
    stderr: expect.stringContaining("Suspend the organisation first"),
  });
  await cli(["organisations", "suspend", id, "--reason", "Unpaid"]);
  expect(await cli(["organisations", "list"])).toMatch(new RegExp(`^${id} .+ suspended: Unpaid$`, "m"));
  await cli(["organisations", "resume", id]);
  await cli(["organisations", "suspend", id, "--reason", "Unpaid"]);
  for (const args of [[], ["--name", "City library"]])
    await expect(cli(["organisations", "delete", id, ...args])).rejects.toMatchObject({
      stderr: expect.stringMatching(/--name|name: must be/),
    });
  expect(await cli(["organisations", "delete", id, "--name", "City libraries"])).toMatch(/^Deleted\./);
  expect(await cli(["organisations", "list"])).not.toContain(id);
});

test("a dry run shows which providers are used and why others are excluded", async () => {
  const answer = await cli(["rules", "dry-run", "--model", "sandbox/chat", "--residency", "fr"]);
  expect(answer).toMatch(/^sandbox\/chat: sandbox-fr$/m);
  expect(answer).toMatch(/^ {2}excluded sandbox-us: .+$/m);
  expect(JSON.parse(await cli(["rules", "dry-run", "--model", "sandbox/chat", "--json"]))).toHaveProperty(
    "data",
  );
});

test("an unknown command is answered with the list of commands", async () => {
  for (const args of [
    [],
    ["keys"],
    ["keys", "create"],
    ["keys", "list", "x"],
    ["keys", "list", "--colour"],
  ]) {
    await expect(cli(args)).rejects.toMatchObject({
      code: 1,
      stderr: expect.not.stringContaining("    at "),
    });
  }
  await expect(cli(["nothing"])).rejects.toMatchObject({
    stderr: expect.stringContaining("keys revoke <hash>"),
  });
});

test("an owner grants credit, with the reason in the ledger; a key without the permission does not", async () => {
  expect(await cli(["credits", "grant", "2.5", "--reason", "Tests"])).toBe(
    "Granted 2.500000 EUR. The balance is 12.500000 EUR.\n",
  );
  expect(
    await server.services.database.prisma.ledger_transfer.findFirst({ where: { reason: "Tests" } }),
  ).toMatchObject({
    from_account: "granted",
    to_account: "credits",
  });
  await expect(cli(["credits", "grant", "-1", "--reason", "x"])).rejects.toMatchObject({ code: 1 });
  const [key = ""] = (await cli(["keys", "create", "Poor"])).split("\n");
  await expect(cli(["credits", "grant", "1", "--reason", "x"], key)).rejects.toMatchObject({
    stderr: expect.stringContaining("billing:write"),
  });
});

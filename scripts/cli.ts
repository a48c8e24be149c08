// npm run cli -- <command>: calls the REST API of a running server (PORTOLAN_URL, PORTOLAN_API_KEY).
import { parseArgs } from "node:util";
import { sendAll } from "./cli/client.ts";
import { Problem } from "./cli/command.ts";
import { commands, usage } from "./cli/commands.ts";

const option = { type: "string" } as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean" },
      json: { type: "boolean" },
      limit: option,
      "limit-reset": option,
      "expires-at": option,
      permissions: option,
      models: option,
      workspace: option,
      model: option,
      rule: option,
      residency: option,
      from: option,
      to: option,
      "group-by": option,
      role: option,
      reason: option,
      search: option,
      owner: option,
      credit: option,
      name: option,
      file: { type: "string", short: "f" },
      prune: { type: "boolean" },
      digest: option,
      apply: { type: "boolean" },
      "accept-hosts": option,
    },
  });
  const words = commands[positionals[0] ?? ""] ? 1 : 2;
  const command = commands[positionals.slice(0, words).join(" ")];
  const argument = positionals.slice(words).join(" ");
  if (!command || command.usage.includes("<") !== (argument !== "")) throw new Problem(usage);
  const answer = command.run
    ? await command.run(values, argument)
    : await sendAll(command.call(values, argument));
  process.exitCode = command.exitCode?.(answer) ?? 0;
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : command.show(answer, argument)}\n`);
}

try {
  await main();
} catch (error) {
  const known = error instanceof Problem || (error instanceof TypeError && "code" in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}

import { expect, test } from "vitest";
import { apis } from "#contract/inference-operations.ts";
import { presetFields } from "#contract/preset-fields.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const guide = readDocument("docs/guides/presets.md");
const commands = codeBlocks(guide, "sh");
const answers = codeBlocks(guide, "json").map((block) => JSON.parse(block) as object);
const { origin, key } = await startTestServer();
const run = (command = "") => runCurl(command, origin, { PORTOLAN_API_KEY: key });

test("docs/guides/presets.md: each command is answered as the guide shows", async () => {
  const [create, use, useAsModel, dryRun, change, versions, restore] = commands;
  const [created, routed, restored] = answers;
  expect([commands.length, answers.length]).toEqual([7, 3]);

  expect(await (await run(create)).json()).toMatchObject(created ?? {});
  const [header = ""] = codeBlocks(guide, "http");
  const [name = "", value] = header.trim().split(": ");
  for (const command of [use, useAsModel]) {
    const answer = await run(command);
    expect([answer.status, answer.headers.get(name)]).toEqual([200, value]);
    await answer.text();
  }
  expect(await (await run(dryRun)).json()).toMatchObject(routed ?? {});
  expect((await run(change)).status).toBe(200);
  expect(await (await run(versions)).json()).toMatchObject({ data: [{ version: 2 }, { version: 1 }] });
  expect(await (await run(restore)).json()).toMatchObject(restored ?? {});
});

/** Values that reach every operation that takes the parameter. */
const values: Record<string, unknown> = {
  reasoning: { effort: "low" },
  response_format: { type: "json_schema", json_schema: { name: "answer", schema: {} } },
  stop: ["END"],
  tool_choice: "auto",
  tools: [],
};

test("docs/guides/presets.md: its table says where each parameter goes in each operation", () => {
  const [table = ""] = /^\| Parameter (?:.|\n)*?\n\n/m.exec(guide) ?? [];
  const [titles = [], ...rows] = [...table.matchAll(/^\| (?:Parameter|`\w+`) .*\|$/gm)].map(([row]) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
  const order = titles.slice(1) as (typeof apis)[number][];
  expect(order.toSorted()).toEqual(apis.toSorted());
  const fields = Object.entries(presetFields) as [
    string,
    { takes: Record<string, (value: unknown) => unknown> },
  ][];
  const cell = (name: string, put: unknown) => {
    const path = (put as { path: readonly string[] } | null | undefined)?.path.join(".");
    return path === undefined ? "–" : path === name ? "yes" : path;
  };
  expect(rows).toEqual(
    fields.map(([name, { takes }]) => [
      name,
      ...order.map((api) => cell(name, takes[api]?.(values[name] ?? 1))),
    ]),
  );
});

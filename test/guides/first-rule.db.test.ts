import { expect, test } from "vitest";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const guide = readDocument("docs/guides/first-rule.md");
const commands = codeBlocks(guide, "sh");
const answers = codeBlocks(guide, "json").map((block) => JSON.parse(block) as object);
const { origin, key } = await startTestServer();

const run = (command = "", variables: Record<string, string> = {}) =>
  runCurl(command, origin, { PORTOLAN_API_KEY: key, ...variables });

test("docs/guides/first-rule.md: each command is answered as the guide shows", async () => {
  const [dryRun, create, ask, insist, remove] = commands;
  const [before, created, after, refused] = answers;
  expect([commands.length, answers.length]).toEqual([5, 4]);

  expect(await (await run(dryRun)).json()).toMatchObject(before ?? {});
  const rule = (await (await run(create)).json()) as { data: { id: string } };
  expect(rule).toMatchObject(created ?? {});
  expect(await (await run(dryRun)).json()).toMatchObject(after ?? {});

  const answer = await run(ask);
  const [headers = ""] = codeBlocks(guide, "http");
  for (const line of headers.trim().split("\n")) {
    const [name = "", value] = line.split(": ");
    expect(answer.headers.get(name)).toBe(value === "<the id of the rule>" ? rule.data.id : value);
  }
  await answer.text();

  const refusal = await run(insist);
  expect(refusal.status).toBe(503);
  expect(await refusal.json()).toMatchObject(refused ?? {});

  expect((await run(remove, { RULE_ID: rule.data.id })).ok).toBe(true);
  expect(await (await run(dryRun)).json()).toMatchObject(before ?? {});
});

test("docs/guides/first-rule.md: the test providers match its table", async () => {
  const listed = await fetch(`${origin}/api/v1/providers`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await listed.json()) as {
    data: { slug: string; datacenters: string[]; data_policy: { retention_days: number | null } }[];
  };
  const country = new Intl.DisplayNames("en", { type: "region" });
  const facts = data
    .filter(({ slug }) => slug.startsWith("sandbox-"))
    .map(({ slug, datacenters: [code = ""], data_policy: { retention_days: days } }) => [
      slug,
      country.of(code),
      days === null ? "for an unknown time" : days === 0 ? "no" : `${days} days`,
    ]);
  const rows = [...guide.matchAll(/^\| `(sandbox-\w+)` +\| (.+?) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, ...cells]) => cells)).toEqual(facts);
});

import { expect, test } from "vitest";
import { noUsage } from "#server/billing/index.ts";
import { sends, startConversations } from "#test/dialects/conversations.ts";
import { dialects } from "#test/dialects/index.ts";
import { kinds } from "#test/facts/kinds.ts";

const { upstream, complete, streamed } = await startConversations();

test.each(kinds)(
  "$title: every kind of token that it reports is counted, complete and streamed",
  async ({ kind, complete: whole, stream, figures }) => {
    const dialect = dialects.find((one) => one.kind === kind);
    if (!dialect) throw new Error(`${kind} has no dialect`);
    upstream.answer = sends(whole);
    expect((await complete(dialect)).usage).toEqual({ ...noUsage, ...figures });
    upstream.answer = sends(stream);
    const { chunks, ended } = await streamed(dialect);
    expect(ended).toBe(true);
    expect(chunks.findLast(({ usage }) => usage)?.usage).toEqual({ ...noUsage, ...figures });
  },
);

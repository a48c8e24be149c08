import { expect, test } from "vitest";
import { failing, startConversations } from "#test/dialects/conversations.ts";
import { dialects } from "#test/dialects/index.ts";

const { upstream, complete, streamed } = await startConversations();
const google = dialects.find(({ kind }) => kind === "google");

test.each(["PROHIBITED_CONTENT", "SAFETY", "OTHER"])(
  "a prompt that Google blocks as %s is refused for its content, complete and streamed",
  async (blockReason) => {
    if (!google) throw new Error("There is no dialect of Google");
    const body = JSON.stringify({ promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 9 } });
    upstream.answer = (response) => response.writeHead(200, { "content-type": "application/json" }).end(body);
    const answered = await failing(complete(google));
    upstream.answer = (response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${body}\n\n`);
    for (const { failure } of [answered, await failing(streamed(google))])
      expect(failure).toMatchObject({
        outcome: "content_policy",
        retry: "model",
        blame: "request",
        code: "BAD_REQUEST",
        errorType: "content_policy_violation",
      });
  },
);

import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { failing, request, scene, sends, startConversations } from "#test/dialects/conversations.ts";
import type { Sent } from "#test/dialects/dialect.ts";
import { dialects } from "#test/dialects/index.ts";
import { sending } from "#test/sending.ts";
import { toAttemptError } from "../pipeline/failures.ts";
import { nativeChat } from "../wires/openai-chat/wire.ts";

const { upstream, exchange, open, complete, streamed } = await startConversations();

describe.each(dialects.map((dialect) => [dialect.kind, dialect] as const))("%s", (_kind, dialect) => {
  test("an odd credential is sent or is a failure of the provider, and never an internal error", async () => {
    for (const credential of [
      ":",
      "a:",
      ":b",
      "a::c",
      "a:b:",
      "a:b:c",
      "a:b:c:d",
      "{}",
      "%zz",
      "=",
      "x".repeat(4096),
    ]) {
      upstream.answer = sends(dialect.complete(scene));
      const odd = { ...dialect, credential };
      const answer = await complete(odd).catch((error: unknown) => toAttemptError(error));
      const stream = await streamed(odd).catch((error: unknown) => toAttemptError(error));
      expect([answer, stream]).toHaveLength(2);
    }
  });

  test.each([
    [401, "credential", "PROVIDER_ERROR", "endpoint"],
    [403, "credential", "PROVIDER_ERROR", "endpoint"],
    [404, "model_missing", "PROVIDER_ERROR", "endpoint"],
    [429, "rate_limited", "RATE_LIMIT_EXCEEDED", "endpoint"],
    [500, "server_error", "PROVIDER_ERROR", "endpoint"],
    [503, "overloaded", "SERVICE_UNAVAILABLE", "endpoint"],
    [302, "server_error", "PROVIDER_ERROR", "endpoint"],
    [400, "rejected", "BAD_REQUEST", "never"],
  ] as const)(
    "%i is %s, and neither the credential nor the text of the provider is reported",
    async (status, outcome, code, retry) => {
      upstream.answer = (response) =>
        response
          .writeHead(status, {
            "content-type": "application/json",
            "retry-after": "7",
            location: "http://10.0.0.1/",
          })
          .end(
            JSON.stringify({ error: { message: `Secret detail about ${dialect.credential}`, type: "x" } }),
          );
      for (const attempt of [complete(dialect), streamed(dialect)]) {
        const error = await failing(attempt);
        expect(error.failure).toMatchObject({ outcome, code, retry, status, retryAfterMs: 7_000 });
        const reported = inspect(error, { depth: 10, showHidden: true });
        expect(reported).not.toContain("Secret detail");
        expect(reported).not.toContain(dialect.credential);
      }
      expect(upstream.received).toHaveLength(2);
    },
  );

  test("a prompt that exceeds the context window is reported as that", async () => {
    upstream.answer = (response) =>
      response.writeHead(400).end('{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}');
    expect((await failing(complete(dialect))).failure).toMatchObject({
      outcome: "context_length",
      retry: "model",
    });
  });

  test.each(["<!doctype html><title>Sign in</title>", '{"unexpected":1}', "{", ""])(
    "an answer that is %o is malformed",
    async (body) => {
      upstream.answer = sends({ type: "application/json", body: Buffer.from(body) });
      const answer = await complete(dialect).catch((error) => toAttemptError(error).failure.outcome);
      // The caller refuses an answer without content.
      expect(typeof answer === "string" ? answer : answer?.hasContent || "malformed").toBe("malformed");
    },
  );

  test("no answer in time is a timeout, a connection that breaks is cut", async () => {
    upstream.answer = () => {};
    const deadlineMs = clock.monotonicMs() + 150;
    for (const error of await Promise.all([
      failing(complete(dialect, {}, { deadlineMs })),
      failing(streamed(dialect, {}, { deadlineMs })),
    ]))
      expect(error.failure).toMatchObject({
        outcome: "timeout",
        code: "PROVIDER_TIMEOUT",
      });

    const half = (sent: Sent) => (response: ServerResponse) => {
      response.writeHead(200, { "content-type": sent.type, "content-length": sent.body.length });
      response.write(sent.body.subarray(0, sent.body.length >> 1), () => response.destroy());
    };
    upstream.answer = half(dialect.complete(scene));
    expect((await failing(complete(dialect))).failure.outcome).toBe("cut");
    upstream.answer = half(dialect.stream(scene, true));
    expect((await failing(streamed(dialect))).failure.outcome).toBe("cut");
  });

  test("the connection is closed when its reader or the client leaves", async () => {
    const closed = vi.fn();
    const { type, body } = dialect.stream(scene, false);
    upstream.answer = (response) => {
      response.on("close", closed);
      response.writeHead(200, { "content-type": type });
      response.write(body);
    };
    const { way, at } = open(dialect, "chat");
    const encoded = nativeChat.encode(request({ stream: true }), at, sending(64, true));
    const events = way.stream(exchange(encoded));
    await events.next();
    await events.return();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1), 1_000);

    const leaving = new AbortController();
    const others = way.stream(exchange(encoded, { signal: leaving.signal }));
    await others.next();
    const rest = failing(
      (async () => {
        while (!(await others.next()).done);
      })(),
    );
    leaving.abort();
    expect((await rest).failure.outcome).toBe("aborted");
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2), 1_000);
  });

  test("a private address is blocked", async () => {
    const guarded = new Outbound(allowedHosts([]));
    expect((await failing(complete(dialect, {}, { outbound: guarded }))).failure.outcome).toBe("blocked");
    expect((await failing(streamed(dialect, {}, { outbound: guarded }))).failure.outcome).toBe("blocked");
    expect(upstream.received).toHaveLength(0);
    await guarded.close();
  });
});

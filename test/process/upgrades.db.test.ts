import { expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { answerTo, ask, readAnswer } from "./raw-request.ts";
import { startTestServer } from "./server.ts";

const { origin, key } = await startTestServer();

const paths = [
  "/",
  "/sign-in",
  "/no-such-page",
  "/_next/hmr",
  "/_next/static/x.js",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/api/v1/models",
  "/api/v1/completions",
  "/v1/chat/completions",
  "/api/v1/no-such-path",
  "/api/trpc/session.get",
  "/api/auth/get-session",
  "/api/playground/completions",
];
const protocols = ["websocket", "h2c", "TLS/1.2, HTTP/1.1", "anything"];

function expectRefusal({ status, headers, body }: ReturnType<typeof readAnswer>): void {
  expect(status).toBe(400);
  expect(headers.get("connection")).toBe("close");
  const { error, requestId } = ErrorEnvelope.parse(JSON.parse(body));
  expect([error.code, error.message]).toEqual(["BAD_REQUEST", expect.stringContaining("Upgrade")]);
  expect(headers.get("x-request-id")).toBe(requestId);
}

// `answerTo` resolves only when the server has ended the connection.
test.each(paths)(
  "an upgrade of %s to whatever protocol is refused, and its connection ends",
  async (path) => {
    for (const protocol of protocols) {
      const headers = ["Host: localhost", "Connection: Upgrade", `Upgrade: ${protocol}`];
      expectRefusal(await ask(origin, `GET ${path}`, headers));
      expectRefusal(await ask(origin, `POST ${path}`, [...headers, "Content-Length: 0"]));
    }
  },
);

test("an upgrade behind a request that is under way does not go before its answer", async () => {
  const body = JSON.stringify({ model: "sandbox/chat", prompt: "Hi", max_tokens: 4 });
  const request = ["POST /api/v1/completions HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
  const first = [...request, "Content-Type: application/json", `Content-Length: ${body.length}`, "", body];
  const second = ["GET / HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket", "", ""];
  const answers = await answerTo(origin, `${first.join("\r\n")}${second.join("\r\n")}`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  expectRefusal(readAnswer(answers.slice(answers.lastIndexOf("HTTP/1.1 400"))));
});

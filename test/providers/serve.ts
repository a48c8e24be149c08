import type { ServerResponse } from "node:http";
import type { Sent } from "#test/dialects/dialect.ts";
import type { Received } from "#test/dialects/server.ts";
import { type Asked, firstRefusal, type Mock, type Refusal, type Route } from "./mock.ts";
import { isJson } from "./shape.ts";

/** What a mock got and how it judged it. */
export interface Judged extends Asked {
  readonly api: Route["api"] | null;
  readonly refusal: Refusal | null;
}

/** A mock in use: what it was asked, and what a test wants of it. */
export interface Play {
  readonly judged: Judged[];
  /** The next request fails with this. */
  failNext: Refusal | null;
  /** Calls of tools that a conversation gets before its final text. */
  toolCalls: number;
  /** The size of the pieces in which an answer is sent. */
  pieceBytes: number;
  readonly answer: (response: ServerResponse, received: Received) => void;
}

export const credential = "test-credential";

/** How a mock judges a request, and the route it takes. */
export function judge(
  mock: Mock,
  asked: Asked,
): { readonly route: Route | null; readonly refusal: Refusal | null } {
  const [header, prefix] = mock.auth;
  if (asked.headers[header] !== prefix + credential) return { route: null, refusal: mock.unauthorized };
  const route = mock.routes.find(({ path }) => path.test(asked.path)) ?? null;
  if (!route) return { route, refusal: mock.notFound };
  return { route, refusal: firstRefusal(route.rules, asked) };
}

/** In pieces that cut letters in two, events with a comment before them as proxies send it. */
function send({ type, body }: Sent, pieceBytes: number, response: ServerResponse): void {
  response.writeHead(200, { "content-type": type });
  if (type === "text/event-stream") response.write(": keep-alive\n\n");
  for (let from = 0; from < body.length; from += pieceBytes)
    response.write(body.subarray(from, from + pieceBytes));
  response.end();
}

const refuse = ({ status, body, headers }: Refusal, response: ServerResponse): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

/** Plays a mock to whatever reaches a loopback server. */
export function play(mock: Mock): Play {
  const state: Play = {
    judged: [],
    failNext: null,
    toolCalls: 1,
    pieceBytes: 7,
    answer(response, { path, headers, body }) {
      const asked = { path: path.replace(/\?.*$/, ""), headers, body: isJson(body) ? body : {} };
      const { route, refusal: judgement } = judge(mock, asked);
      const refusal = judgement ?? state.failNext;
      state.failNext = null;
      state.judged.push({ ...asked, api: route?.api ?? null, refusal });
      if (refusal || !route) return refuse(refusal ?? mock.notFound, response);
      send(route.answer(asked, route.streams(asked), state.toolCalls), state.pieceBytes, response);
    },
  };
  return state;
}

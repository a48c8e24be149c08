import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Never answer. */
  readonly silent?: true;
}

type Answer = Reply | Promise<Reply>;

export interface Recorder {
  readonly origin: string;
  readonly seen: Recorded[];
  /** The answers to the next requests; by default 200 with `{}`. */
  reply: (request: Recorded) => Answer;
}

/** A destination on loopback that remembers what it was sent. Gone after the last test of the file. */
export async function startRecorder(): Promise<Recorder> {
  const recorder: { -readonly [Name in keyof Recorder]: Recorder[Name] } = {
    origin: "",
    seen: [],
    reply: () => ({ status: 200, body: "{}" }),
  };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const recorded = {
      method: req.method ?? "",
      url: req.url ?? "",
      headers: req.headers,
      body: Buffer.concat(chunks),
    };
    recorder.seen.push(recorded);
    const { status, headers = {}, body = "", silent } = await recorder.reply(recorded);
    if (!silent) res.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  recorder.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return recorder;
}

/** A recorder whose answers wait: each call of one in `held` answers the request that came at that place. */
export async function startHeldRecorder(): Promise<Recorder & { held: ((reply: Reply) => void)[] }> {
  const held: ((reply: Reply) => void)[] = [];
  const recorder = await startRecorder();
  recorder.reply = () => new Promise<Reply>((resolve) => held.push(resolve));
  return Object.assign(recorder, { held });
}

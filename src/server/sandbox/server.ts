import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { limits } from "#server/platform/limits.ts";
import { chat } from "./chat.ts";
import { chooseFault } from "./choose-fault.ts";
import { completions } from "./completions.ts";
import { echo } from "./echo.ts";
import { embeddings } from "./embeddings.ts";
import type { Operation } from "./operation.ts";
import { play } from "./play.ts";
import { PrefixCache } from "./prefix-cache.ts";
import { jsonReply, nothingCounted, type Reply, SandboxError } from "./reply.ts";
import { rerank } from "./rerank.ts";
import { type SeenRequest, SeenRequests } from "./seen.ts";

export interface SandboxOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** How many served requests are remembered; 10,000 by default. */
  readonly remembered?: number;
}

export interface Sandbox {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** The requests served after a sequence number, oldest first. */
  seen(after?: number): SeenRequest[];
  /** Cuts what is open and stops listening. */
  close(): Promise<void>;
}

interface Route {
  readonly model: string;
  readonly run: Operation;
  readonly echo?: "chat" | "completions";
}

const routes: Readonly<Record<string, Route>> = {
  "/chat/completions": { model: "chat", run: chat, echo: "chat" },
  "/completions": { model: "chat", run: completions, echo: "completions" },
  "/embeddings": { model: "embed", run: embeddings },
  "/rerank": { model: "rerank", run: rerank },
};

const models = ["chat", "embed", "rerank", "echo"].map((name) => ({
  id: `sandbox/${name}`,
  object: "model",
  created: 0,
  owned_by: "sandbox",
}));

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limits.body.inferenceBytesMax) throw new SandboxError(413, "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new SandboxError(400, `The body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** `sandbox/chat!cut:3` → the model `sandbox/chat` and the fault `cut:3`. */
function splitModel(value: unknown): { model: string; suffix: string | undefined } {
  const [model = "", suffix] = (asText(value) ?? "").split("!");
  return { model, suffix };
}

function answer(
  route: Route,
  body: Record<string, unknown>,
  model: string,
  site: string,
  cache: PrefixCache,
) {
  const name = model.replace(/^sandbox\//, "");
  if (name === "echo" && route.echo) return echo(route.echo, body);
  if (name !== route.model) throw new SandboxError(404, `The model "${model}" does not serve this`);
  return route.run({ ...body, model }, { name: site, cache });
}

/** Starts the sandbox providers on a loopback port of their own: `/fr/v1`, `/de/v1` and `/us/v1`. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const seenRequests = new SeenRequests(options.remembered ?? 10_000);
  const cache = new PrefixCache();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://sandbox");
    const [, site = "", operation = ""] = /^\/(fr|de|us)\/v1(\/.*)$/.exec(pathname) ?? [];
    const header = (name: string) => asText(request.headers[name]);
    const record = (reply: Reply, model: string, fault: string | null) =>
      seenRequests.add({
        site,
        operation,
        model,
        generation: header("x-portolan-generation") ?? null,
        fault,
        stream: reply.stream,
        ...reply.counted,
      });

    if (pathname === "/__sandbox/requests") {
      const data = seenRequests.after(Number(searchParams.get("after") ?? 0));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
      return;
    }
    let model = "";
    try {
      if (request.method === "GET" && operation === "/models") {
        const reply = jsonReply({ object: "list", data: models }, nothingCounted);
        return await play(reply, response, record(reply, model, null));
      }
      const route = routes[operation];
      if (!route || request.method !== "POST") {
        throw new SandboxError(404, `${request.method} ${pathname} is not served here`);
      }
      const body = await readBody(request);
      if (!isObject(body)) throw new SandboxError(400, "The body must be an object");
      const named = splitModel(body.model);
      model = named.model;
      const metadata = isObject(body.metadata) ? asText(body.metadata.sandbox_fault) : undefined;
      const fault = chooseFault(header("x-sandbox-fault") ?? metadata ?? named.suffix, site);
      const good = answer(route, body, model, site, cache);
      const reply = fault ? fault.apply(good) : good;
      await play(reply, response, record({ ...reply, counted: good.counted }, model, fault?.name ?? null));
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      const refused =
        error instanceof SandboxError ? error : new SandboxError(500, `The sandbox failed: ${error}`);
      const reply = refused.toReply();
      await play(reply, response, record(reply, model, null));
    }
  }

  const server = createServer((request, response) => void serve(request, response));
  server.keepAliveTimeout = limits.http.keepAliveTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // A worker's sandbox is its own.
    server.listen({ port: options.port ?? 0, host: "127.0.0.1", exclusive: true }, resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The sandbox listens on no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    seen: (after) => seenRequests.after(after),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

import { afterAll, beforeEach } from "vitest";
import { attempt, senderOver } from "#server/destinations/attempt.ts";
import { readConfig } from "#server/destinations/config.ts";
import type { DestinationKind, Send } from "#server/destinations/kind.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { kindFixtures } from "./fixtures.ts";
import { decodeOtlp } from "./otlp.ts";
import { type Recorded, startRecorder } from "./recorder.ts";
import { sampleTrace } from "./sample.ts";

/** The ids of the spans that a destination of this type was sent. */
export function spanIdsOf(type: string, request: Recorded): string[] {
  const { spanIds } = kindFixtures[type] ?? {};
  if (spanIds === "otlp") {
    return decodeOtlp(request.headers["content-type"], request.body).map(({ spanId }) => spanId);
  }
  return spanIds?.(request) ?? [];
}

/** A recorder that receives what destinations of every type send, for the tests of one file. */
export async function startKindSuite() {
  const recorder = await startRecorder();
  const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
  afterAll(() => outbound.close());
  /** The addresses that the requests were meant for. */
  const wanted: URL[] = [];
  beforeEach(() => {
    recorder.seen.length = 0;
    wanted.length = 0;
  });

  /** Sends every request to the recorder, whatever host it is for. */
  const send: Send = (request) => {
    const url = new URL(request.url);
    wanted.push(url);
    return senderOver(outbound)({ ...request, url: recorder.origin + url.pathname + url.search });
  };

  /** A destination of a type, as its fixture configures it, with the traces it is sent. */
  function destinationOf(kind: DestinationKind) {
    const fixture = kindFixtures[kind.type];
    if (!fixture) throw new Error(`test/destinations/fixtures.ts has no row for ${kind.type}`);
    const config = readConfig(kind, fixture.config);
    const failed = {
      id: "0190a000-0000-7000-8000-00000000dcba",
      status: "failed",
      error_code: "PROVIDER_ERROR",
    } as const;
    const traces = [sampleTrace(), sampleTrace(failed)].slice(0, kind.batchMax);
    /** Answers the request that sends traces with this status. The requests before it succeed. */
    const answering = (status: number, headers: Record<string, string> = {}) => {
      recorder.reply = ({ url }) => {
        const body = fixture.replies?.[url];
        return body === undefined ? { status, headers, body: "{}" } : { status: 200, body };
      };
    };
    const deliver = () => attempt(kind, config, traces, send);
    return { fixture, config, traces, answering, deliver };
  }
  return { recorder, outbound, wanted, send, destinationOf };
}

import { describe, expect, test } from "vitest";
import { endpoint, model, provider } from "#test/catalogues.ts";
import type { Sent as Bytes, Scene } from "#test/dialects/dialect.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { dialects } from "#test/dialects/index.ts";
import { inferenceOver } from "#test/inference.ts";
import { hear, hearAnything, operationNames } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

const { upstream, outbound } = await upstreamOfFile();

describe.each(dialects.map((dialect) => [dialect.kind, dialect] as const))(
  "a stream in the protocol of %s",
  (_, dialect) => {
    const scene: Scene = {
      reasoning: [],
      text: ["Hel", "lo"],
      call: null,
      usage: { prompt: 5, cacheRead: 0, completion: 3, reasoning: 0 },
    };
    const { kind, basePath, credential } = dialect;
    const sends = (...bodies: readonly Bytes[]) => {
      upstream.answer = (response) => {
        response.writeHead(200, { "content-type": bodies[0]?.type ?? "" });
        response.end(Buffer.concat(bodies.map(({ body }) => body)));
      };
    };
    function oneProvider() {
      const at = endpoint(
        provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
        model("m/x", { supportedParameters: [] }),
        { upstreamModel: "model-of-theirs", apis: new Set(["chat"]) },
      );
      return inferenceOver([at], createUpstreams(new Map([["theirs", credential]])), outbound);
    }

    test.each(operationNames)("/%s ends exactly once, and with the true ending", async (operation) => {
      const isResponse = operation === "responses";
      const failed = { ends: 1, text: "Hello", finish: isResponse ? "failed" : "error" };
      const { deps } = oneProvider();
      sends(dialect.stream(scene, true));
      const complete = { ends: 1, error: null, text: "Hello", done: true };
      expect(await hear(operation, deps, { stream: true })).toMatchObject(complete);
      sends(dialect.stream(scene, false));
      expect(await hear(operation, deps, { stream: true })).toMatchObject(failed);
      sends(dialect.stream(scene, false), dialect.overloaded);
      const overload = isResponse ? "server_error" : "SERVICE_UNAVAILABLE";
      expect(await hear(operation, oneProvider().deps, { stream: true })).toMatchObject({
        ...failed,
        error: overload,
      });
      // A package may stop reading at the end of its protocol.
      sends(dialect.stream(scene, true), dialect.overloaded);
      const afterEnd = await hear(operation, oneProvider().deps, { stream: true });
      expect(afterEnd).toMatchObject({ ends: 1, text: "Hello" });
      expect(afterEnd.done).toBe(isResponse || afterEnd.error === null);
    });

    test.each(operationNames)("/%s reports an error in place of an answer", async (operation) => {
      sends(dialect.overloaded);
      const heard = await hearAnything(operation, oneProvider().deps, { stream: true });
      expect(heard).toMatchObject({ refused: "SERVICE_UNAVAILABLE" });
    });
  },
);

import { expect, test } from "vitest";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { scene, sends } from "#test/dialects/conversations.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { openAi } from "#test/dialects/openai.ts";
import { inferenceOver } from "#test/inference.ts";
import { hear } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

const { upstream, outbound } = await upstreamOfFile();

test.each([false, true])("an endpoint that cannot be called is passed over, streamed %j", async (stream) => {
  upstream.answer = sends(stream ? openAi.stream(scene, true) : openAi.complete(scene));
  const at = (slug: string, baseUrl: string, figure: string) =>
    endpoint(provider(slug, { kind: "openai-compatible", baseUrl }), model("m/x"), { price: price(figure) });
  const { deps, learned } = inferenceOver(
    [at("broken", "http://[", "1"), at("good", upstream.origin, "2")],
    createUpstreams(new Map()),
    outbound,
  );
  await hear("chat", deps, { stream, provider: { sort: "price" } });
  expect(learned.final).toMatchObject([{ status: "completed", provider: "good" }]);
});

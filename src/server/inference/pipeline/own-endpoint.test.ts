import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { scene, sends } from "#test/dialects/conversations.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { openAi } from "#test/dialects/openai.ts";
import { inferenceOver } from "#test/inference.ts";
import { hear } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

const { upstream, outbound } = await upstreamOfFile();

test("an own endpoint uses nothing that is allowed for the installation's, and metrics do not name it", async () => {
  upstream.answer = sends(openAi.complete(scene));
  const at = (slug: string, orgId: string | null, figure: string) =>
    endpoint(
      provider(slug, {
        ...{ kind: "openai-compatible", baseUrl: upstream.origin },
        origin: { layer: orgId === null ? "shipped" : "organisation", orgId, overrides: [] },
      }),
      model("m/x"),
      { price: price(figure) },
    );
  const { deps, learned } = inferenceOver(
    [at("theirs", uuidv7(), "1"), at("good", null, "2")],
    createUpstreams(new Map()),
    outbound,
  );
  const ownOutbound = new Outbound(allowedHosts([]), { setting: "ALLOW_PRIVATE_OWN_PROVIDERS" });
  const metrics = createMetrics();
  await hear("chat", { ...deps, ownOutbound, metrics }, { stream: false, provider: { sort: "price" } });
  expect(learned.final).toMatchObject([{ status: "completed", provider: "good" }]);
  expect(upstream.received).toHaveLength(1);
  const text = await metrics.text();
  expect(text).toContain('provider="own"');
  expect(text).not.toContain("theirs");
});

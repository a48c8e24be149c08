import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RerankRequest } from "#contract/rerank.ts";
import { loadCatalogue } from "#server/catalog/index.ts";
import { providerKinds } from "#server/inference/index.ts";
import { nativeRerank } from "#server/inference/wires/cohere-rerank/wire.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { directoryOfFile } from "#test/directories.ts";
import { sending } from "#test/sending.ts";
import { harbour } from "./harbour.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = read("docs/guides/add-a-provider.md");
const providersFolder = "src/server/inference/providers";

/** What stands between the fences of a language. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

/** A file without its imports, and those in any order with the addresses they have from `providersFolder`. */
function reported(text: string) {
  const lines = text.trim().split("\n");
  const imports = lines
    .filter((line) => line.startsWith("import "))
    .map((line) => line.replace("#server/inference/providers/", "./").replace("#server/inference/", "../"))
    .toSorted();
  return { imports, rest: lines.filter((line) => !line.startsWith("import ")) };
}

test("the files the guide shows are the files there are", () => {
  const [mistral = "", ours = "", line = ""] = blocks("ts");
  expect(reported(mistral)).toEqual(reported(read(`${providersFolder}/mistral.ts`)));
  expect(reported(ours)).toEqual(reported(read("test/guides/harbour.ts")));
  // The line looks like the others of its file.
  expect(read(`${providersFolder}/kinds.ts`).split("\n")).toContain(
    line.trim().replaceAll("harbour", "mistral"),
  );
});

test("the kinds the guide names are those there are", () => {
  const [, names = ""] = /^Existing kinds: (.*)\.$/m.exec(guide) ?? [];
  expect(names.split(", ").map((name) => name.replaceAll("`", ""))).toEqual(
    [...providerKinds.keys()].toSorted(),
  );
});

test("every file the guide names is there", () => {
  const paths = [...guide.matchAll(/`((?:src|test|prisma)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(4);
  for (const path of paths.filter((path) => path.endsWith(".ts") || path.endsWith(".json")))
    expect(() => read(path)).not.toThrow();
});

test("the guide's entries make providers that can be asked, once their kind is there", () => {
  const kinds = new Map([...providerKinds, [harbour.kind, harbour]]);
  const load = (content: string, known: typeof kinds) => {
    const overlayFile = join(directoryOfFile(), "mine.json");
    writeFileSync(overlayFile, content);
    return loadCatalogue({ kinds: known, overlayFile });
  };
  const [own = "", ofKind = ""] = blocks("json");
  expect(load(own, kinds).endpoints.get("my-vllm:qwen/qwen3-8b")).toMatchObject({
    upstreamModel: "Qwen/Qwen3-8B",
    provider: { kind: "openai-compatible" },
  });
  const asked = load(ofKind, kinds).endpoints.get("harbour-eu:harbour/sorter");
  expect(asked?.provider.kind).toBe("harbour");
  expect(asked && harbour.upstream(asked, "rerank", "key")).not.toBeNull();
  expect(() => load(ofKind, new Map(providerKinds))).toThrow(
    /providers\[0\]\.kind "harbour" is not known; known are anthropic, azure/,
  );
});

test("the guide's kind sends and reads what the guide describes", async () => {
  const upstream = await startUpstream();
  const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
  upstream.answer = (response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"sorted":[{"index":1,"relevance_score":0.9}],"usage":{"total_tokens":38}}');
  try {
    const at = endpoint(provider("theirs", { baseUrl: `${upstream.origin}/v1` }), model("m/x"));
    const request = RerankRequest.parse({
      model: "m/x",
      query: "Seine",
      documents: ["Vienna", "Paris"],
      top_n: 1,
    });
    const answer = await harbour
      .upstream(at, "rerank", "key")
      ?.complete(exchangeWith(outbound, nativeRerank.encode(request, at, sending())));
    expect(nativeRerank.reader(request).answer(answer)).toMatchObject({
      results: [{ index: 1, relevance_score: 0.9 }],
      usage: { uncached: 38 },
    });
    expect(upstream.received[0]).toMatchObject({
      path: "/v1/sort",
      body: { model: "m/x", question: "Seine", texts: ["Vienna", "Paris"], best: 1 },
    });
  } finally {
    await outbound.close();
    await upstream.close();
  }
});

import { expect, test } from "vitest";
import { loadCatalogue } from "#server/catalog/index.ts";
import { providerKinds } from "./registry.ts";

test("every shipped endpoint lists only operations that its kind of provider supports", () => {
  const { endpoints } = loadCatalogue({
    kinds: providerKinds,
    sandboxOrigin: "http://127.0.0.1:4010",
  });
  expect(endpoints.size).toBeGreaterThan(200);
  for (const endpoint of endpoints.values()) {
    // Addresses with a part only the operator knows are filled in for the question.
    const provider = {
      ...endpoint.provider,
      baseUrl: endpoint.provider.baseUrl ?? "https://provider.example/v1",
    };
    const kind = providerKinds.get(provider.kind);
    for (const api of endpoint.apis)
      expect(kind?.upstream({ ...endpoint, provider }, api, "key"), `${endpoint.id} ${api}`).not.toBeNull();
  }
});

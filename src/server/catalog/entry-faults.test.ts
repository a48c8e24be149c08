import { expect, test } from "vitest";
import { ProviderEntry } from "#contract/catalogue.ts";
import { providerFaults } from "./entry-faults.ts";

const kinds = new Map([
  ["open", {}],
  ["packaged", { needsCredential: true }],
]);
const faultsOf = (kind: string, auth: string) =>
  providerFaults(
    ProviderEntry.parse({ slug: "a", name: "A", base_url: "https://a.example", kind, auth }),
    kinds,
  );

test.each(["none", "bearer-optional"])("a kind that needs a credential is refused with auth %s", (auth) => {
  expect(faultsOf("packaged", auth)).toMatchObject([{ field: "auth" }]);
  expect(faultsOf("open", auth)).toEqual([]);
  expect(faultsOf("packaged", "bearer")).toEqual([]);
});

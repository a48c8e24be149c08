import { expect, test } from "vitest";
import type { CatalogueFile } from "#contract/catalogue.ts";
import { shippedCatalogue } from "#test/shipped-document.ts";
import { differencesOf } from "./differences.ts";

const before = shippedCatalogue();
const [provider, model] = [before.providers[0]?.slug ?? "", before.models[0]?.id ?? ""];

type Change = (file: CatalogueFile) => void;
const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error("The shipped catalogue is empty");
  return item;
};
const priced = (file: CatalogueFile) => first(file.endpoints.filter(({ price }) => price !== null));

test("a catalogue has no differences from itself", () => {
  expect(differencesOf(before, shippedCatalogue())).toEqual([]);
});

test.each<[string, Change, object]>([
  [
    "a price is a price",
    (file) => {
      const { price } = priced(file);
      if (price) price.input = "99";
    },
    { group: "prices", section: "endpoint", change: "changed", field: "price" },
  ],
  [
    "a price that was only checked again is evidence",
    (file) => {
      const { price } = priced(file);
      if (price) price.as_of = "2099-01-01";
    },
    { group: "evidence", section: "endpoint", change: "changed", field: "price" },
  ],
  [
    "a fact is a fact",
    (file) => {
      const entry = first(file.providers);
      entry.training = { ...entry.training, value: entry.training.value !== true };
    },
    { group: "facts", section: "provider", name: provider, field: "training" },
  ],
  [
    "an address is an address",
    (file) => {
      first(file.providers).base_url = "https://elsewhere.example.eu";
    },
    { group: "addresses", section: "provider", name: provider, field: "base_url" },
  ],
  [
    "a successor belongs to the end of a model",
    (file) => {
      first(file.models).successor = "lab/next";
    },
    {
      group: "retirement",
      section: "model",
      name: model,
      field: "successor",
      before: null,
      after: "lab/next",
    },
  ],
  [
    "a new model is added",
    (file) => {
      file.models.push({ ...first(file.models), id: "lab/new" });
    },
    { group: "models", section: "model", name: "lab/new", change: "added", field: null },
  ],
  [
    "an endpoint that is gone is removed, with its last price",
    (file) => {
      file.endpoints.splice(file.endpoints.indexOf(priced(file)), 1);
    },
    { group: "endpoints", change: "removed", field: null, before: priced(before).price, after: null },
  ],
  [
    "what has no group is a detail",
    (file) => {
      first(file.models).context_length = 7;
    },
    { group: "details", section: "model", name: model, field: "context_length", after: 7 },
  ],
  [
    "the exchange rate changes prices",
    (file) => {
      file.exchange_rates.push({ pair: "EUR/USD", rate: "2", date: "2099-01-01", source: "ecb" });
    },
    { group: "prices", section: "exchange_rate", after: "2 (2099-01-01)" },
  ],
])("%s", (_, change, expected) => {
  const after = shippedCatalogue();
  change(after);
  expect(differencesOf(before, after)).toEqual([expect.objectContaining(expected)]);
});

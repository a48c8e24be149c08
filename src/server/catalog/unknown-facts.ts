import type { Provider } from "./types.ts";

/** Facts the catalogue deliberately does not contain, by API field. */
const leftOut: Readonly<Record<string, string>> = {
  icon_url: "Logos of providers are not shipped; your own catalogue file can set one",
  dpa_url:
    "No data processing agreement was checked; ask the provider, and set it in your own catalogue file",
};

/** Why a fact of a provider is unknown, by API field: the catalogue's own reason, else that no source states it. */
export function whyUnknown(name: string, { regionNote, selfHosted, unverified }: Provider): string {
  if (selfHosted) return "Decided by the operator of this server";
  if (name === "region" && regionNote !== null) return regionNote;
  if (unverified.includes(name)) return "Not checked against a source";
  return leftOut[name] ?? "No source of the catalogue states it";
}

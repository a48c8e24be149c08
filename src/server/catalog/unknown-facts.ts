import type { Provider } from "./types.ts";

/** Why a fact of a provider is not known, by its name on the wire: what the catalogue says of it, else that nothing does. */
export function whyUnknown(name: string, { regionNote, selfHosted, unverified }: Provider): string {
  if (selfHosted) return "Whoever runs this server decides it";
  if (name === "region" && regionNote !== null) return regionNote;
  if (unverified.includes(name)) return "It is known from memory alone and was not checked";
  return "No source of the catalogue says it";
}

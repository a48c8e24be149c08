import type { Provider } from "./types.ts";

/** What the catalogue leaves out of its own accord, by name on the wire. */
const leftOut: Readonly<Record<string, string>> = {
  icon_url: "Marks of providers are not shipped; a catalogue file of your own can name one",
  dpa_url:
    "No agreement on data processing was read; ask the provider, and name it in a catalogue file of your own",
};

/** Why a fact of a provider is not known, by its name on the wire: what the catalogue says of it, else that nothing does. */
export function whyUnknown(name: string, { regionNote, selfHosted, unverified }: Provider): string {
  if (selfHosted) return "Whoever runs this server decides it";
  if (name === "region" && regionNote !== null) return regionNote;
  if (unverified.includes(name)) return "It is known from memory alone and was not checked";
  return leftOut[name] ?? "No source of the catalogue says it";
}

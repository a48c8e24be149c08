/** Kinds of content besides text that a request may hold or ask for, in the order in which messages name them. */
export const mediaModalities = ["image", "audio", "file", "video"] as const;
export type MediaModality = (typeof mediaModalities)[number];

/** Names of one modality that catalogues use. PDF files and other documents are `file`, as OpenRouter names them. */
const synonyms: Readonly<Record<string, string>> = { pdf: "file", document: "file" };

/** The modalities of a catalogue's entry under their common names, each once. */
export const commonModalities = (listed: readonly string[]): readonly string[] => [
  ...new Set(listed.map((name) => synonyms[name] ?? name)),
];

/** `image and audio`, `image, audio and video`. */
export function modalityList(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

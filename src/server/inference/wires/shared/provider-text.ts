import { malformed } from "#server/inference/pipeline/failures.ts";
import { isJson, type Json } from "./json.ts";

/** What a message says in each way, where a provider gives it in parts. */
export interface Said {
  text: string;
  reasoning: string;
  refusal: string;
  readonly images: Json[];
  /** Mistral's references to the documents of a request: they say nothing themselves. */
  readonly references: Json[];
}

/** Parts of parts, as deep as anybody sends them. */
const depthMax = 3;

const unreadable = () => malformed("a part of a message cannot be read", 200);

type Say = (said: Said, part: Json, depth: number) => void;

/** How each kind of part says what it says; a part of another kind that has a `text` says that. */
const parts: Readonly<Record<string, Say>> = {
  thinking(said, { thinking, text }, depth) {
    said.reasoning += textAt(thinking ?? text, depth) ?? "";
  },
  reasoning(said, { reasoning, text }, depth) {
    said.reasoning += textAt(reasoning ?? text, depth) ?? "";
  },
  refusal(said, { refusal }, depth) {
    said.refusal += textAt(refusal, depth) ?? "";
  },
  image_url(said, part) {
    said.images.push(part);
  },
  reference(said, part) {
    said.references.push(part);
  },
};

function readPart(said: Said, part: unknown, depth: number): void {
  if (typeof part === "string") said.text += part;
  else if (!isJson(part)) throw unreadable();
  else {
    const say = typeof part.type === "string" ? parts[part.type] : undefined;
    if (say) say(said, part, depth);
    else if (part.text === undefined) throw unreadable();
    else said.text += textAt(part.text, depth) ?? "";
  }
}

function readAt(content: unknown, depth: number): Said {
  if (depth > depthMax) throw unreadable();
  const said: Said = { text: "", reasoning: "", refusal: "", images: [], references: [] };
  for (const part of Array.isArray(content) ? content : [content]) readPart(said, part, depth);
  return said;
}

function textAt(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (value == null) return null;
  const { text, reasoning, refusal, images } = readAt(value, depth + 1);
  if (images.length > 0) throw unreadable();
  return reasoning + text + refusal;
}

/** Everything in the parts of a message, put together by kind. Throws `AttemptError` for what cannot be read. */
export const readParts = (content: unknown): Said => readAt(content, 0);

/** A text a provider sent as one, or in parts; null when there is none. Throws `AttemptError` for anything else. */
export const providerText = (value: unknown): string | null => textAt(value, 0);

/** JSON text, where clients get text and some providers send the value itself. */
export const jsonText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** What stands before the data of a `data:` URL is short. */
const headCharsMax = 1_024;

interface DataUrl {
  /** The media type without its parameters; empty when the URL names none. */
  readonly type: string;
  readonly isBase64: boolean;
  readonly data: string;
}

/** The parts of a `data:` URL (RFC 2397); null for anything else. The data may be long, and is not looked at. */
export function dataUrlOf(text: string): DataUrl | null {
  if (!text.startsWith("data:")) return null;
  const comma = text.slice(0, headCharsMax).indexOf(",");
  if (comma === -1) return null;
  const [type = "", ...parameters] = text.slice("data:".length, comma).split(";");
  return { type, isBase64: parameters.includes("base64"), data: text.slice(comma + 1) };
}

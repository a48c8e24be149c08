// Samples of what is inside the fields of a request: each with the same request without it.
import type { Json } from "#test/providers/shape.ts";

export interface Nested {
  /** Its path, without positions in lists. */
  readonly field: string;
  readonly request: Json;
  readonly without: Json;
  /** What a provider gets that takes it as it is. */
  readonly value: unknown;
  /** Portolan does what it asks for where the provider does not. */
  readonly ours?: true;
  /** Other names in reports and errors. */
  readonly alsoNamed?: readonly string[];
}
type Options = Pick<Nested, "ours" | "alsoNamed">;

/** Makes a sample of a member from how a request with it is built; undefined leaves the member out. */
export const nested = (
  field: string,
  value: unknown,
  build: (value: unknown) => Json,
  options: Options = {},
): Nested => ({ field, value, request: build(value), without: build(undefined), ...options });

/** A picture of one pixel, a second of silence and a page, as far as mocks look at them. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const pngUrl = `data:image/png;base64,${png}`;
export const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
export const pdf = "JVBERi0xLjQKJSVFT0YK";
export const mp4Url = "data:video/mp4;base64,AAAAIGZ0eXBpc29t";

export const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
export const closed = { ...parameters, additionalProperties: false };

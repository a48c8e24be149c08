import { setFlagsFromString } from "node:v8";

// V8's second engine needs time linear in the text, whatever the pattern (flag `l`). What it cannot do, such as
// back references and look-around, it refuses when the pattern is made.
setFlagsFromString("--enable-experimental-regexp-engine");

/** A pattern a user wrote, safe to run. Null when it is none, or none that can run in linear time. */
export function linearPattern(source: string): RegExp | null {
  try {
    return new RegExp(source, "l");
  } catch {
    return null;
  }
}

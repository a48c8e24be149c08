import type { CSSProperties } from "react";
import classes from "./monogram.module.css";

/** Hues that people can distinguish. */
const hues = [190, 215, 250, 285, 325, 10, 35, 75, 140, 165];

/** The same for the same text: a name has the same colour on every screen. */
function hueOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hues[sum % hues.length] ?? 190;
}

/** Words end at anything but letters and digits, and before a capital inside: `LangSmith` is two. */
const wordEnd = /[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u;

/** `Mistral AI` → `MA`, `Nebius` → `NE`. */
export function initialsOf(name: string): string {
  const [first = "", second] = name.split(wordEnd).filter((word) => word !== "");
  return (second ? [...first].slice(0, 1).concat([...second].slice(0, 1)) : [...first].slice(0, 2))
    .join("")
    .toUpperCase();
}

/** Stands beside the name of a provider or a tool, so that it is found at a glance. `seed` chooses its colour. */
export const Monogram = ({ name, seed }: { readonly name: string; readonly seed: string }) => (
  <span aria-hidden className={classes.mark} style={{ "--hue": hueOf(seed) } as CSSProperties}>
    {initialsOf(name)}
  </span>
);

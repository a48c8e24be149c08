import type { Token, Tokens } from "marked";
import type { Document } from "./documents.ts";
import { plainText } from "./plain-text.ts";

/** A place in the documents that has all words of a search. */
export interface Finding {
  readonly title: string;
  /** Null for what stands above the first heading. */
  readonly heading: string | null;
  readonly href: string;
  /** Text around the first word. */
  readonly excerpt: string;
}

interface Section {
  readonly document: Document;
  readonly heading: Document["headings"][number] | null;
  /** What stands below the heading. */
  readonly text: string;
}

const findingsMax = 30;
const excerptChars = 160;

/** The text of a block, with that of its cells and items. */
function blockText(token: Token): string {
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map(({ tokens }) => plainText(tokens)).join(" ")).join(" ");
  }
  if (token.type === "list")
    return (token as Tokens.List).items.map(({ tokens }) => plainText(tokens)).join(" ");
  return plainText([token]);
}

function sectionsOf(document: Document): Section[] {
  const sections: Section[] = [];
  let [heading, texts, at]: [Section["heading"], string[], number] = [null, [], 0];
  const close = () => sections.push({ document, heading, text: texts.join(" ").replaceAll(/\s+/g, " ") });
  for (const token of document.tokens) {
    if (token.type !== "heading") texts.push(blockText(token));
    else {
      close();
      heading = document.headings[at++] ?? null;
      texts = [];
    }
  }
  close();
  return sections;
}

/** Text around a word, cut at spaces. */
function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - excerptChars / 3);
  const from = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const cut = text.slice(from, from + excerptChars);
  return `${from > 0 ? "… " : ""}${cut}${from + excerptChars < text.length ? " …" : ""}`;
}

/** Documents about how the program was made: who searches wants to know how it is used. */
const rankOfPlace = ({ path }: Document) =>
  /^\/docs\/(?:adr|architecture|changelog|contributing|glossary|threat-model)/.test(path) ? 1 : 0;

/** A whole document as one section, for words that are not in one section of it. */
const asOneSection = (document: Document): Section => ({
  document,
  heading: null,
  text: sectionsOf(document)
    .map(({ heading, text }) => `${heading?.text ?? ""} ${text}`)
    .join(" "),
});

const hasAll =
  (words: readonly string[]) =>
  ({ document, heading, text }: Section): boolean => {
    const lower = `${document.title} ${heading?.text ?? ""} ${text}`.toLowerCase();
    return words.every((word) => lower.includes(word));
  };

/**
 * The sections with all words of `query`, those with a word in title or heading first; documents with them if no section
 * has them; none for an empty query.
 */
export function findIn(documents: readonly Document[], query: string): Finding[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const inSections = documents.flatMap(sectionsOf).filter(hasAll(words));
  const found = inSections.length > 0 ? inSections : documents.map(asOneSection).filter(hasAll(words));
  const rankOf = ({ document, heading }: Section) => {
    const named = `${document.title} ${heading?.text ?? ""}`.toLowerCase();
    return rankOfPlace(document) * words.length - words.filter((word) => named.includes(word)).length;
  };
  return found
    .map((section) => ({ section, rank: rankOf(section) }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, findingsMax)
    .map(({ section: { document, heading, text } }) => ({
      title: document.title,
      heading: heading?.text ?? null,
      href: heading ? `${document.path}#${heading.anchor}` : document.path,
      excerpt: excerptOf(text, first),
    }));
}

import type { Token, Tokens } from "marked";
import Link from "next/link";
import { createElement, Fragment, type ReactNode } from "react";
import type { Document } from "../_content/documents.ts";
import { targetOf } from "../_content/links.ts";
import { plainText, unescaped } from "../_content/plain-text.ts";
import { DocumentCode } from "./document-code.tsx";
import classes from "./markdown.module.css";

/** What tokens need to know of the document that they are in. */
interface Place {
  readonly file: string;
  /** Takes the ID of the next heading. */
  readonly nextAnchor: () => string;
  /** A name for a region of the page that no other has: `sh example`, `sh example 2`. */
  readonly named: (name: string) => string;
}

/** Draws one kind of token; React escapes every text. */
type Draw = (token: never, place: Place) => ReactNode;

// Tokens of one text have no identity of their own, and are never reordered.
const all = (tokens: readonly Token[] | undefined, place: Place): ReactNode[] =>
  (tokens ?? []).map((token, index) => draw(token, place, index));

function LinkedText({ token: { href, tokens }, place }: { token: Tokens.Link; place: Place }) {
  const target = targetOf(place.file, href);
  if (target.kind === "none") return all(tokens, place);
  if (target.kind === "page") return <Link href={target.href}>{all(tokens, place)}</Link>;
  return (
    <a href={target.href} target="_blank" rel="noreferrer">
      {all(tokens, place)}
    </a>
  );
}

function Rows({
  token: { header, rows },
  title,
  place,
}: {
  token: Tokens.Table;
  title: string;
  place: Place;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls a wide table only if it has the focus
    <section className={classes.wide} aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are never reordered
              <th key={column} scope="col" style={{ textAlign: align ?? "start" }}>
                {all(tokens, place)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are never reordered
            <tr key={line}>
              {row.map(({ tokens, align }, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns are never reordered
                <td key={column} style={{ textAlign: align ?? "start" }}>
                  {all(tokens, place)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const wrapped =
  (tag: "p" | "strong" | "em" | "del" | "blockquote"): Draw =>
  ({ tokens }: Tokens.Paragraph, place) =>
    createElement(tag, null, ...all(tokens, place));

/** Every kind of token that the documents use. */
const draws: Readonly<Record<string, Draw>> = {
  paragraph: wrapped("p"),
  strong: wrapped("strong"),
  em: wrapped("em"),
  del: wrapped("del"),
  blockquote: wrapped("blockquote"),
  heading: ({ depth, tokens }: Tokens.Heading, place) =>
    createElement(`h${depth}`, { id: place.nextAnchor() }, ...all(tokens, place)),
  text: (token: Tokens.Text, place) => (token.tokens ? all(token.tokens, place) : unescaped(token.text)),
  escape: ({ text }: Tokens.Escape) => unescaped(text),
  codespan: ({ text }: Tokens.Codespan) => <code>{unescaped(text)}</code>,
  br: () => <br />,
  hr: () => <hr />,
  space: () => null,
  link: (token: Tokens.Link, place) => <LinkedText token={token} place={place} />,
  // Pictures of the repository are not served.
  image: ({ text }: Tokens.Image) => unescaped(text),
  code: ({ text, lang }: Tokens.Code, place) => (
    <DocumentCode code={text} label={place.named(`${lang?.split(" ")[0] ?? ""} example`.trim())} />
  ),
  list: ({ ordered, start, items }: Tokens.List, place) =>
    createElement(
      ordered ? "ol" : "ul",
      ordered && start !== 1 ? { start } : null,
      ...items.map(({ tokens }) => createElement("li", null, ...all(tokens, place))),
    ),
  table: (token: Tokens.Table, place) => (
    <Rows
      token={token}
      title={place.named(`Table of ${plainText(token.header[0]?.tokens ?? [])}`)}
      place={place}
    />
  ),
  // Written as text, except comments: nothing in a document becomes markup.
  html: ({ text }: Tokens.HTML) => (text.startsWith("<!--") ? null : unescaped(text)),
};

function draw(token: Token, place: Place, key: number): ReactNode {
  // The entry of a kind takes the tokens of that kind, which the type of the table cannot express.
  const drawn = draws[token.type]?.(token as never, place);
  return <Fragment key={key}>{drawn}</Fragment>;
}

/** A document as elements, without its title. */
export function Markdown({ document: { file, tokens, headings } }: { document: Document }) {
  let at = 0;
  const times = new Map<string, number>();
  const place: Place = {
    file,
    nextAnchor: () => headings[at++]?.anchor ?? "",
    named(name) {
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      return time === 1 ? name : `${name} ${time}`;
    },
  };
  return <div className={classes.prose}>{all(tokens, place)}</div>;
}

/** The kinds of tokens that can be drawn, for a test over all documents. */
export const drawnKinds: readonly string[] = Object.keys(draws);

import { Stack } from "@mantine/core";
import Link from "next/link";
import type { Group } from "../_content/contents.ts";
import type { Document } from "../_content/documents.ts";
import classes from "./document-screen.module.css";
import { Markdown } from "./markdown.tsx";

interface DocumentScreenProps {
  readonly document: Document;
  /** The table of contents, which says what is read next. */
  readonly groups: readonly Group[];
}

/** What is read before and after a document, in the order of the contents. */
function neighboursOf(path: string, groups: readonly Group[]) {
  const entries = groups.flatMap((group) => group.entries);
  const at = entries.findIndex(({ href }) => href === path);
  return at < 0 ? {} : { previous: entries[at - 1], next: entries[at + 1] };
}

const OnThisPage = ({ headings }: Pick<Document, "headings">) => {
  const main = headings.filter(({ depth }) => depth === 2);
  if (main.length < 2) return null;
  return (
    <nav aria-label="On this page" className={classes.contents}>
      <p>On this page</p>
      <ul>
        {main.map(({ text, anchor }) => (
          <li key={anchor}>
            <a href={`#${anchor}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

/** One document: the way back, its text, what it contains and what follows. */
export function DocumentScreen({ document, groups }: DocumentScreenProps) {
  const group = groups.find(({ entries }) => entries.some(({ href }) => href === document.path));
  const { previous, next } = neighboursOf(document.path, groups);
  return (
    <div className={classes.page}>
      <Stack component="article" gap="md" miw={0}>
        <nav aria-label="Breadcrumb" className={classes.way}>
          <Link href="/docs">Documentation</Link>
          {group && <span>{group.title}</span>}
        </nav>
        <h1 className={classes.title}>{document.title}</h1>
        <Markdown document={document} />
        {(previous || next) && (
          <nav aria-label="Next and previous page" className={classes.steps}>
            {previous && <Link href={previous.href}>← {previous.title}</Link>}
            {next && <Link href={next.href}>{next.title} →</Link>}
          </nav>
        )}
      </Stack>
      <OnThisPage headings={document.headings} />
    </div>
  );
}

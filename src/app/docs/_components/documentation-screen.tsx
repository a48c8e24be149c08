import { Stack } from "@mantine/core";
import Link from "next/link";
import { Suspense } from "react";
import { Screen } from "#app/_ui/screen.tsx";
import type { Group } from "../_content/contents.ts";
import type { Finding } from "../_content/find.ts";
import { DocsSearch } from "./docs-search.tsx";
import classes from "./documentation-screen.module.css";
import { FoundOperations } from "./found-operations.tsx";

const Findings = ({ findings, query }: { findings: readonly Finding[]; query: string }) => (
  <section aria-label="Search results" className={classes.findings}>
    <p role="status">
      {findings.length === 0
        ? `No page has all words of “${query}”.`
        : `${findings.length} ${findings.length === 1 ? "place" : "places"}, best first`}
    </p>
    <ul>
      {findings.map(({ title, heading, href, excerpt }) => (
        <li key={href}>
          <Link href={href}>{heading ? `${title}: ${heading}` : title}</Link>
          <p>{excerpt}</p>
        </li>
      ))}
    </ul>
    <FoundOperations query={query} />
  </section>
);

const Contents = ({ groups }: { groups: readonly Group[] }) => (
  <div className={classes.groups}>
    {groups.map(({ title, entries }) => (
      <section key={title} aria-label={title}>
        <h2>{title}</h2>
        <ul>
          {entries.map(({ title: name, href, description }) => (
            <li key={href}>
              <Link href={href}>{name}</Link>
              <p>{description}</p>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </div>
);

interface DocumentationScreenProps {
  readonly groups: readonly Group[];
  /** What is searched for; empty shows the contents. */
  readonly query: string;
  readonly findings: readonly Finding[];
}

/** The start of the documentation: guides by what a reader wants to do, or what a search found. */
export function DocumentationScreen({ groups, query, findings }: DocumentationScreenProps) {
  return (
    <Screen path="/docs">
      <Stack gap="xl">
        <Suspense>
          <DocsSearch />
        </Suspense>
        {query === "" ? <Contents groups={groups} /> : <Findings findings={findings} query={query} />}
      </Stack>
    </Screen>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { documentQuery, findIn, sectionsOf } from "../reference/_components/document.ts";

const operationsMax = 8;

/** Operations of the API that match a search of the documentation. */
export function FoundOperations({ query }: { query: string }) {
  const { data } = useQuery(documentQuery);
  const found = findIn(data ? sectionsOf(data) : [], query)
    .flatMap(({ entries }) => entries)
    .slice(0, operationsMax);
  if (found.length === 0) return null;
  return (
    <section aria-label="Operations">
      <h2>Operations of the API</h2>
      <ul>
        {found.map(({ id, method, path, operation }) => (
          <li key={id}>
            <Link href={`/docs/reference#${id}`}>{operation.summary ?? id}</Link>
            <p>
              {method} {path}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

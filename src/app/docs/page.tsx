import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { DocumentationScreen } from "./_components/documentation-screen.tsx";
import { contentsOf } from "./_content/contents.ts";
import { documentsOfInstallation } from "./_content/documents.ts";
import { findIn } from "./_content/find.ts";

export const metadata: Metadata = pageMetadata("/docs");

interface DocsPageProps {
  readonly searchParams: Promise<{ readonly q?: string | string[] }>;
}

export default async function DocsPage({ searchParams }: DocsPageProps) {
  const [{ q }, documents] = await Promise.all([searchParams, documentsOfInstallation()]);
  const query = typeof q === "string" ? q.trim() : "";
  const index = documents.get("/docs");
  return (
    <DocumentationScreen
      groups={index ? contentsOf(index) : []}
      query={query}
      findings={findIn(
        [...documents.values()].filter((document) => document !== index),
        query,
      )}
    />
  );
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { DocumentScreen } from "../_components/document-screen.tsx";
import { contentsOf } from "../_content/contents.ts";
import { documentsOfInstallation } from "../_content/documents.ts";

interface DocumentPageProps {
  readonly params: Promise<{ readonly path: readonly string[] }>;
}

async function documentOf({ params }: DocumentPageProps) {
  const [{ path }, documents] = await Promise.all([params, documentsOfInstallation()]);
  const [document, index] = [documents.get(`/docs/${path.join("/")}`), documents.get("/docs")];
  return { document, groups: index ? contentsOf(index) : [] };
}

export async function generateMetadata(props: DocumentPageProps): Promise<Metadata> {
  const { document } = await documentOf(props);
  return { title: document?.title ?? "Not found" };
}

export default async function DocumentPage(props: DocumentPageProps) {
  const { document, groups } = await documentOf(props);
  if (!document) notFound();
  return <DocumentScreen document={document} groups={groups} />;
}

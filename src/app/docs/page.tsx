import type { Metadata } from "next";
import { ReferenceScreen } from "./_components/reference-screen.tsx";

export const metadata: Metadata = { title: "API reference" };

export default function DocsPage() {
  return <ReferenceScreen />;
}

import type { Metadata } from "next";
import { pageMetadata } from "#app/_ui/navigation.ts";
import { AuditScreen } from "./_components/audit-screen.tsx";

export const metadata: Metadata = pageMetadata("/settings/audit-log");

export default function AuditLogPage() {
  return <AuditScreen />;
}

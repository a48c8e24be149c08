import type { Metadata } from "next";
import { AuditScreen } from "./_components/audit-screen.tsx";

export const metadata: Metadata = { title: "Audit log" };

export default function AuditLogPage() {
  return <AuditScreen />;
}

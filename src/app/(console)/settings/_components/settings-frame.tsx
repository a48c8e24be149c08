import { Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { PageBar } from "#app/_ui/page-bar.tsx";

/** The pages of the settings: their bar grows from this table. */
const pages = [
  { path: "/settings", label: "Profile" },
  { path: "/settings/members", label: "Members" },
  { path: "/settings/service-accounts", label: "Service accounts" },
  { path: "/settings/workspaces", label: "Workspaces" },
  { path: "/settings/organisation", label: "Organisation" },
  { path: "/settings/audit-log", label: "Audit log", permission: "audit:read" },
  { path: "/settings/organisations", label: "All organisations", operator: true },
] as const;

export function SettingsFrame({ children }: { children: ReactNode }) {
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <Title order={1} size="h2">
        Settings
      </Title>
      <PageBar label="Settings" pages={pages} />
      {children}
    </Stack>
  );
}

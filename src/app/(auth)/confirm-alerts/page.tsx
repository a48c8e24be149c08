import type { Metadata } from "next";
import { ConfirmAlerts } from "./_components/confirm-alerts.tsx";

export const metadata: Metadata = { title: "Alerts by e-mail" };

export default function ConfirmAlertsPage() {
  return <ConfirmAlerts />;
}

import type { Metadata } from "next";
import { LostPasswordForm } from "./_components/lost-password-form.tsx";

export const metadata: Metadata = { title: "Reset password" };

export default function LostPasswordPage() {
  return <LostPasswordForm />;
}

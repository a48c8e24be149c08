import type { Metadata } from "next";
import { ResetPasswordForm } from "./_components/reset-password-form.tsx";

export const metadata: Metadata = { title: "New password" };

export default function ResetPasswordPage() {
  return <ResetPasswordForm />;
}

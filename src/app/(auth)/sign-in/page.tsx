import type { Metadata } from "next";
import { SignInForm } from "./_components/sign-in-form.tsx";

export const metadata: Metadata = { title: "Sign in" };

type Parameter = string | string[] | undefined;

interface SignInPageProps {
  readonly searchParams: Promise<{ readonly next?: Parameter; readonly error?: Parameter }>;
}

const one = (parameter: Parameter): string | undefined =>
  typeof parameter === "string" ? parameter : undefined;

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { next, error } = await searchParams;
  return <SignInForm next={one(next)} refusal={one(error)} />;
}

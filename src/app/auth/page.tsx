import type { Metadata } from "next";
import { headers } from "next/headers";
import { AuthorizationQuery } from "#contract/authorization.ts";
import { Notice } from "../_ui/notice.tsx";
import { ConsentScreen } from "./_components/consent-screen.tsx";

export const metadata: Metadata = { title: "Allow access" };

interface AuthPageProps {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/**
 * Where an app sends a person to ask for a key. A request that is not in order is explained here and leads
 * nowhere: its callback cannot be trusted either.
 */
export default async function AuthPage({ searchParams }: AuthPageProps) {
  const parsed = AuthorizationQuery.safeParse(await searchParams);
  if (parsed.success) return <ConsentScreen request={parsed.data} />;
  const requestId = (await headers()).get("x-request-id");
  const [issue] = parsed.error.issues;
  const text = `The app that sent you here made an invalid request (${issue?.path.join(".")}: ${issue?.message}). Contact the app's developer.`;
  return <Notice title="Invalid authorisation request" text={text} requestId={requestId} />;
}

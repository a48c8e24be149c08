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
  const text = `The app that sent you here asked in a way that cannot be answered (${issue?.path.join(".")}: ${issue?.message}). Tell its makers.`;
  return <Notice title="This request is not in order" text={text} requestId={requestId} />;
}

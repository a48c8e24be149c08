"use client";

import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { failureOf } from "../_lib/failure.ts";
import { replaceWith } from "../_lib/navigate.ts";
import { signInPath } from "../_lib/sign-in-path.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { part } from "./part.tsx";
import { unsavedPage } from "./unsaved.tsx";

const SuspendedNotice = part(() =>
  import("./suspended-notice.tsx").then(({ SuspendedNotice }) => SuspendedNotice),
);

/** People can open their own account while their organisation is suspended. */
const profilePath = "/settings";

/** Redirects to the sign-in page without a session, and replaces the screen while the organisation is suspended. The server protects the data itself. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useQuery(useTRPC().session.get.queryOptions());
  const pathname = usePathname();
  const failure = session.isError ? failureOf(session.error) : null;
  const signedOut = failure?.code === "UNAUTHORIZED";
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    // With unsaved changes the person stays; saving then fails with a link to sign in.
    if (!signedOut || unsavedPage.isEdited()) return;
    setLeaving(true);
    replaceWith(signInPath());
  }, [signedOut]);
  if (failure?.code === "ORGANISATION_SUSPENDED" && pathname !== profilePath)
    return <SuspendedNotice message={failure.message} />;
  return leaving ? null : children;
}

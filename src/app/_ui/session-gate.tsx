"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { failureOf } from "../_lib/failure.ts";
import { replaceWith } from "../_lib/go.ts";
import { signInPath } from "../_lib/sign-in-path.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { unsavedPage } from "./unsaved.tsx";

/** Sends whoever is not signed in to the sign-in page and back afterwards. The server guards the data itself. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useQuery(useTRPC().session.get.queryOptions());
  const signedOut = session.isError && failureOf(session.error).code === "UNAUTHORIZED";
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    // Who is writing something stays with it, and is told by what fails.
    if (!signedOut || unsavedPage.isEdited()) return;
    setLeaving(true);
    replaceWith(signInPath());
  }, [signedOut]);
  return leaving ? null : children;
}

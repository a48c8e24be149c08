"use client";

import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { failureOf } from "../_lib/failure.ts";
import { useTRPC } from "../_lib/trpc.ts";

/** Sends whoever is not signed in to the sign-in page and back afterwards. The server guards the data itself. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useQuery(useTRPC().session.get.queryOptions());
  const pathname = usePathname();
  const signedOut = session.isError && failureOf(session.error).code === "UNAUTHORIZED";
  useEffect(() => {
    if (signedOut) window.location.replace(`/sign-in?next=${encodeURIComponent(pathname)}`);
  }, [signedOut, pathname]);
  return signedOut ? null : children;
}

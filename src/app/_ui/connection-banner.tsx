"use client";

import { Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { isConnectionLost, onConnectionChange, watchConnection } from "../_lib/connection.ts";

/** A click on a link of the console would replace the page by the browser's own error page. */
function stayOnPage(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!link || link.getAttribute("target") === "_blank" || link.hasAttribute("download")) return;
  // Not `link.href`, which is an object for the links of a diagram.
  const { origin } = new URL(link.getAttribute("href") ?? "", window.location.href);
  if (origin !== window.location.origin) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Says that the server cannot be reached. Until then nobody can leave the page, so nothing that was typed is lost. */
export function ConnectionBanner() {
  const client = useQueryClient();
  const isLost = useSyncExternalStore(onConnectionChange, isConnectionLost, () => false);
  useEffect(() => watchConnection(client), [client]);
  useEffect(() => {
    if (!isLost) return;
    document.addEventListener("click", stayOnPage, { capture: true });
    return () => document.removeEventListener("click", stayOnPage, { capture: true });
  }, [isLost]);
  return (
    isLost && (
      <Alert color="orange" title="No connection to the server" mb="md">
        What is shown may be out of date. Nothing you typed is lost. Pages can be opened again once the server
        answers.
      </Alert>
    )
  );
}

"use client";

import { Alert, Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import {
  confirmConnection,
  isConnectionLost,
  isOutdated,
  onConnectionChange,
  wasReachedRecently,
  watchConnection,
} from "../_lib/connection.ts";

/** The link of this console that a click would follow away from the page; null for any other click. */
function leavingLink({ target }: MouseEvent): Element | null {
  const link = target instanceof Element ? target.closest("a[href]") : null;
  if (!link || link.getAttribute("target") === "_blank" || link.hasAttribute("download")) return null;
  // Not `link.href`, which is an object for the links of a diagram.
  const { origin, pathname, search, hash } = new URL(link.getAttribute("href") ?? "", window.location.href);
  const isHere = pathname === window.location.pathname && search === window.location.search && hash !== "";
  return origin === window.location.origin && !isHere ? link : null;
}

const opensElsewhere = ({ button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button !== 0 || ctrlKey || metaKey || shiftKey;

/**
 * Follows a link only if the server is there: otherwise the browser's own error page would replace the page, with all
 * that was typed. The server is asked first unless it answered a moment ago.
 */
function followIfReachable(event: MouseEvent): void {
  const link = leavingLink(event);
  if (!link || wasReachedRecently()) return;
  if (!isConnectionLost() && opensElsewhere(event)) return;
  event.preventDefault();
  event.stopPropagation();
  if (isConnectionLost()) return;
  void confirmConnection().then((isThere) => {
    // The server has just answered, so this click follows the link.
    if (isThere && link.isConnected)
      link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
  });
}

/**
 * Says that the server cannot be reached, or was updated. Without a connection nobody can leave the page, so nothing that
 * was typed is lost.
 */
export function ConnectionBanner() {
  const client = useQueryClient();
  const isLost = useSyncExternalStore(onConnectionChange, isConnectionLost, () => false);
  const isOld = useSyncExternalStore(onConnectionChange, isOutdated, () => false);
  useEffect(() => watchConnection(client), [client]);
  useEffect(() => {
    document.addEventListener("click", followIfReachable, { capture: true });
    return () => document.removeEventListener("click", followIfReachable, { capture: true });
  }, []);
  if (isLost)
    return (
      <Alert color="orange" title="No connection to the server" mb="md">
        What is shown may be out of date. Nothing you typed is lost. Pages can be opened again once the server
        answers.
      </Alert>
    );
  return (
    isOld && (
      <Alert color="orange" title="This page is out of date" mb="md">
        <Stack align="start" gap="xs">
          The server was updated. Some parts of this page cannot be opened until you reload it.
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </Stack>
      </Alert>
    )
  );
}

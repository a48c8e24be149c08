"use client";

import { useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "../_lib/navigate.ts";
import { guardBack } from "./back-guard.ts";
import { UnsavedQuestion } from "./lazy.tsx";
import { entryNow, question, unsavedPage } from "./unsaved.tsx";

/** The link of this console that a click follows in this tab; null when it does something else. */
function followed(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.origin !== window.location.origin || link.target === "_blank") return null;
  const { pathname, search } = window.location;
  return link.hash !== "" && link.pathname === pathname && link.search === search ? null : link;
}

/** Asks before a link, the back button or closing the page loses unsaved changes. */
export function UnsavedGuard() {
  const go = useNavigate();
  const isAsking = useSyncExternalStore(question.subscribe, question.isAsked, () => false);
  useEffect(() => {
    // Loaded early: when it is needed the server may be unreachable.
    import("./unsaved-question.tsx").catch(() => {});
    let returning = false;
    function onClick(event: MouseEvent) {
      const link = unsavedPage.isEdited() ? followed(event) : null;
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      unsavedPage.leave(() => go(link.pathname + link.search + link.hash));
    }
    // The event comes after the step: it is undone before the router hears of it.
    function onPopState(event: PopStateEvent) {
      if (!returning && !unsavedPage.isEdited()) return;
      event.stopImmediatePropagation();
      if (returning) {
        returning = false;
        return;
      }
      const [now, before] = [entryNow(), unsavedPage.entry()];
      const steps = now !== null && before !== null ? before - now : 1;
      if (steps === 0) return;
      returning = true;
      window.history.go(steps);
      unsavedPage.leave(() => window.history.go(-steps));
    }
    function onUnload(event: BeforeUnloadEvent) {
      if (unsavedPage.isEdited()) event.preventDefault();
    }
    window.addEventListener("click", onClick, true);
    const endBack = guardBack(onPopState);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      window.removeEventListener("click", onClick, true);
      endBack();
      window.removeEventListener("beforeunload", onUnload);
    };
  }, [go]);
  return isAsking && <UnsavedQuestion />;
}

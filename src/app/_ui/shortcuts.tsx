"use client";

import { useEffect, useState } from "react";
import { ShortcutList } from "./lazy.tsx";

/** Controls that are inputs by their element but take no text. */
const textless = new Set(["checkbox", "radio", "range", "button", "submit"]);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement
    ? !textless.has(target.type)
    : target instanceof HTMLElement &&
      (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName));

/** Rows of tables are opened by an element with `data-row`; j and k walk over them. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")].filter(
    (row) => row.offsetParent !== null,
  );
  const current = rows.findIndex((row) => row.matches(":focus"));
  const next = current === -1 ? (by === 1 ? 0 : rows.length - 1) : current + by;
  rows[next]?.focus();
}

/** A search field is marked with `data-search`. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[data-search]");
  field?.focus();
  return field !== null;
}

/** The keys that work on every screen, and the dialog that lists them. */
export function Shortcuts() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // Under a dialog or a sheet the screen takes no keys.
      if (document.querySelector("[role=dialog]")) return;
      if (event.key === "?") setShown(true);
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "/" && focusSearch()) event.preventDefault();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return shown && <ShortcutList onClose={() => setShown(false)} />;
}

"use client";

import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useState } from "react";

/** The forms with unsaved changes in a sheet, a dialog or anywhere on the page. */
interface Forms {
  readonly around: Forms | null;
  readonly edited: Set<object>;
  /** The index in the history of the newest of them, if the browser provides it. */
  entry: number | null;
}

const page: Forms = { around: null, edited: new Set(), entry: null };
const FormsAround = createContext<Forms>(page);

/** Leaving that waits for an answer, and the forms that it would lose. */
interface Leaving {
  readonly forms: Forms;
  readonly go: () => void;
}

let waiting: Leaving | null = null;
const watchers = new Set<() => void>();

function wait(leaving: Leaving | null): void {
  waiting = leaving;
  for (const notify of watchers) notify();
}

export const question = {
  subscribe: (notify: () => void) => {
    watchers.add(notify);
    return () => watchers.delete(notify);
  },
  isAsked: () => waiting !== null,
  stay: () => wait(null),
  leave: () => {
    const leaving = waiting;
    // Discarded changes must not ask again on the way out.
    page.edited.clear();
    wait(null);
    leaving?.go();
  },
};

const isEdited = ({ edited }: Forms): boolean => edited.size > 0;
function leave(forms: Forms, go: () => void): void {
  if (!isEdited(forms)) go();
  else if (!waiting) wait({ forms, go });
}

export const entryNow = (): number | null => window.navigation?.currentEntry?.index ?? null;

/** The page: whether leaving it loses changes, and leaving it after the person agreed. */
export const unsavedPage = {
  isEdited: () => isEdited(page),
  entry: () => page.entry,
  leave: (go: () => void) => leave(page, go),
};

/** Part of every form: while something in it is unsaved, leaving by link, back, reload or closing asks first. */
export function Unsaved({ when }: { when: boolean }) {
  const around = useContext(FormsAround);
  useEffect(() => {
    if (!when) return;
    const form = {};
    page.entry = entryNow();
    for (let at: Forms | null = around; at; at = at.around) at.edited.add(form);
    return () => {
      for (let at: Forms | null = around; at; at = at.around) at.edited.delete(form);
      // Saved, or gone with its page: there is nothing left to ask about.
      if (waiting && !isEdited(waiting.forms)) wait(null);
    };
  }, [when, around]);
  return null;
}

/** An open sheet or dialog. */
interface OpenOverlay {
  close: () => void;
}

/** Open sheets and dialogs, the topmost last. Only that one is closed, by Escape or by a click. */
const overlays: OpenOverlay[] = [];

/** One listener for all: with one each, the overlay below would see the Escape that closed the one above it. */
function closeTopmost(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.isComposing) return;
  // Mantine's mark of an open list or menu, which this Escape closes.
  const isTaken =
    event.target instanceof HTMLElement && event.target.dataset.mantineStopPropagation === "true";
  if (!isTaken) overlays.at(-1)?.close();
}

/** Calls `close` for each Escape while the overlay is the topmost. */
function useOverlay(close: () => void): OpenOverlay {
  const [overlay] = useState<OpenOverlay>(() => ({ close }));
  useLayoutEffect(() => {
    overlay.close = close;
  });
  // Before the next event, so that no Escape is lost to an overlay that is gone.
  useLayoutEffect(() => {
    overlays.push(overlay);
    if (overlays.length === 1) window.addEventListener("keydown", closeTopmost, { capture: true });
    return () => {
      overlays.splice(overlays.indexOf(overlay), 1);
      if (overlays.length === 0) window.removeEventListener("keydown", closeTopmost, { capture: true });
    };
  }, [overlay]);
  return overlay;
}

interface OverlayProps {
  readonly onClose: () => void;
  /** Renders the overlay; `close` asks first when a form in it has unsaved changes. Escape calls it. */
  readonly children: (close: () => void) => ReactNode;
}

/** The base of every sheet and dialog. */
export function Overlay({ onClose, children }: OverlayProps) {
  const around = useContext(FormsAround);
  const [forms] = useState<Forms>(() => ({ around, edited: new Set(), entry: null }));
  const overlay = useOverlay(() => leave(forms, onClose));
  const close = () => {
    if (overlays.at(-1) === overlay) overlay.close();
  };
  return <FormsAround value={forms}>{children(close)}</FormsAround>;
}

import { cleanup, configure } from "@testing-library/react";
import type { DetachedWindowAPI } from "happy-dom";
import { afterEach, beforeEach } from "vitest";

/** The browser's functions that Mantine asks for and happy-dom does not have, or answers too literally. */
class Observer implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

Object.assign(window, { ResizeObserver: Observer, scrollTo: () => {} });
Object.assign(document, { fonts: new EventTarget() });
Element.prototype.scrollIntoView = () => {};

/** The element with the focus, and the fields that have a value. */
function typedText(): string {
  const fields = [...document.querySelectorAll("input, textarea")].map((field) =>
    field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : "",
  );
  const focused = document.activeElement;
  return `\nFocus: ${focused?.outerHTML.slice(0, 300)}, connected: ${focused?.isConnected}\nFields: ${fields.filter(Boolean).join(" | ")}`;
}

configure({
  // Two busy cores take their time to draw a screen.
  asyncUtilTimeout: 5_000,
  // The message and what was typed: a page of markup hides them.
  getElementError: (message) => new Error(`${message ?? "Not found"}${typedText()}`),
});

declare global {
  interface Window {
    readonly happyDOM: DetachedWindowAPI;
  }
}

// Files of one process share a page, and some change its address.
beforeEach(() => {
  window.happyDOM.setURL("http://console.test/");
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});

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

configure({
  // Two busy cores take their time to draw a screen.
  asyncUtilTimeout: 5_000,
  // The message alone: a page of markup hides it.
  getElementError: (message) => new Error(message ?? "Not found"),
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

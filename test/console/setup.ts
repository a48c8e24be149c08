import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

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

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
});

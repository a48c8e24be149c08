import { markOutdated, untilReachable } from "./connection.ts";

/**
 * Loads a part of a page that comes after the page. Without a connection it waits until the server answers, because an
 * error would replace the page with all that was typed. `placeholder` stays if the server does not have the part any
 * more, because it was updated: then a banner asks to reload the page.
 */
export async function loadPart<Part>(load: () => Promise<Part>, placeholder: Part): Promise<Part> {
  try {
    return await load();
  } catch {
    await untilReachable();
  }
  try {
    return await load();
  } catch {
    markOutdated();
    return placeholder;
  }
}

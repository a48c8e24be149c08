/** Props of the title of a dialog or sheet, which has the focus if there is no field. */
export const titleProps = {
  ...{ fw: 650, lh: 1.35, tabIndex: -1, "data-title": true },
  style: { overflowWrap: "anywhere", outline: "none" },
} as const;

/**
 * Typing starts in the first field of a dialog or sheet. Without this the button that closes it has the focus, and Enter
 * closes it. A ref for the element that has the title and the content.
 */
export function focusFirst(content: HTMLElement | null): void {
  if (!content || content.querySelector("[data-autofocus]")) return;
  const field = content.querySelector("input, select, textarea");
  (field ?? content.querySelector("[data-title]"))?.setAttribute("data-autofocus", "");
}

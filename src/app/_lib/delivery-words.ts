import type { DeliveryContent } from "#contract/destination.ts";

/** What a trace contains. */
export const deliveryContentLabels: Readonly<Record<DeliveryContent, string>> = {
  sent: "With content",
  private: "Without content (privacy mode)",
  residency: "Without content and user (data residency)",
  none: "Without content and user",
};

/** How a destination is called: one that was deleted has no name any more. */
export const destinationName = (id: string, name: string | null | undefined): string =>
  name ?? `destination …${id.slice(-8)} (deleted)`;

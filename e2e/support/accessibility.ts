import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Fails with every fault axe finds on the page, and where. An opened menu or dialog stands outside the
 * landmarks on purpose, so `popup` leaves that one rule out.
 */
export async function expectNoFault(page: Page, { popup = false } = {}): Promise<void> {
  const axe = new AxeBuilder({ page }).withTags(rules).disableRules(popup ? ["region"] : []);
  const { violations } = await axe.analyze();
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
  );
  expect(faults).toEqual([]);
}

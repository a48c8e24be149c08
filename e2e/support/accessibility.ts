import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Everything, all that colours cannot break, or only what they can. */
export type Inspection = "all" | "structure" | "colours";

interface Looked {
  /** An opened menu or dialog stands outside the landmarks on purpose: that one rule is left out. */
  readonly popup?: boolean;
  readonly inspection?: Inspection;
}

function optionsOf({ popup = false, inspection = "all" }: Looked): axe.RunOptions {
  const resultTypes: axe.resultGroups[] = ["violations"];
  if (inspection === "colours") return { runOnly: { type: "rule", values: ["color-contrast"] }, resultTypes };
  const left = { region: { enabled: !popup }, "color-contrast": { enabled: inspection === "all" } };
  return { runOnly: { type: "tag", values: tags }, rules: left, resultTypes };
}

/** Fails with every fault axe finds on the page, and where. */
export async function expectNoFault(page: Page, looked: Looked = {}): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const faults = await page.evaluate(async (chosen) => {
    const { violations } = await window.axe.run(chosen);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
    );
  }, optionsOf(looked));
  expect(faults).toEqual([]);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * How a screen is looked at; between neighbours one thing changes. Axe inspects what the change can break: the
 * width moves things, the scheme colours them. The last is a picture for people.
 */
export const views = [
  { colorScheme: "light", width: 1440, inspection: "all" },
  { colorScheme: "light", width: 390, inspection: "structure" },
  { colorScheme: "dark", width: 390, inspection: "colours" },
  { colorScheme: "dark", width: 1440, inspection: null },
] as const;
type View = (typeof views)[number];

/** Applies a view to a drawn page, and waits until nothing moves any more. */
export async function applyView(page: Page, { colorScheme, width }: View): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.waitForFunction(
    (view) =>
      document.documentElement.dataset.mantineColorScheme === view.colorScheme &&
      window.innerWidth === view.width &&
      document.getAnimations().every(({ playState }) => playState === "finished"),
    { colorScheme, width },
  );
}

import type { Page } from "@playwright/test";
import { sidebarOf } from "#app/_ui/navigation.ts";
import { expect, test } from "../support/console.ts";

const interactiveMs = 1_500;
const statementsMax = 60;
const answerBytesMax = 1_500_000;
/** The longest page there is: a list without pages would have the 2,000 rules or the 100,000 generations. */
const rowsMax = 1_000;

/** The longest list anywhere in a value. */
function longestIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).map(longestIn);
  return Math.max(0, Array.isArray(value) ? value.length : 0, ...inner);
}

async function statements(page: Page): Promise<number> {
  const text = await (await page.request.get("/metrics")).text();
  return Number(/^portolan_database_statements_total (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** Opens a screen and waits until nothing on it is loading any more. */
async function open(page: Page, path: string): Promise<number> {
  const startedAt = performance.now();
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForFunction(
    () => document.querySelectorAll('[aria-busy="true"], .mantine-Skeleton-root').length === 0,
  );
  return Math.round(performance.now() - startedAt);
}

// One test: after a failing one the complete installation would be created again.
test(`every screen is there within ${interactiveMs} ms, with few statements and bounded answers`, async ({
  consolePage: page,
}) => {
  test.setTimeout(300_000);
  let answers: string[] = [];
  page.on("response", async (response) => {
    // An answer to a screen that was left has no body any more.
    if (response.url().includes("/api/trpc/")) answers.push(await response.text().catch(() => "[]"));
  });
  for (const { path, label } of sidebarOf(undefined)) {
    answers = [];
    await open(page, path);
    const before = await statements(page);
    const times = [await open(page, path), await open(page, path), await open(page, path)];
    const perVisit = ((await statements(page)) - before) / times.length;
    const median = times.toSorted((a, b) => a - b)[1] ?? Number.NaN;
    const bytes = Math.max(0, ...answers.map(({ length }) => length));
    const rows = Math.max(0, ...answers.map((text) => longestIn(JSON.parse(text))));
    const figures = `${label}, ${test.info().project.name}: ${times.join(", ")} ms; ${perVisit.toFixed(0)} statements a visit; largest answer ${bytes} bytes, longest list ${rows}`;
    test.info().annotations.push({ type: "figures", description: figures });
    console.info(figures);
    expect.soft(perVisit, `statements of ${label}`).toBeLessThan(statementsMax);
    expect.soft(bytes, `bytes of ${label}`).toBeLessThan(answerBytesMax);
    expect.soft(rows, `rows of ${label}`).toBeLessThanOrEqual(rowsMax);
    expect.soft(median, `milliseconds of ${label}`).toBeLessThan(interactiveMs);
  }
});

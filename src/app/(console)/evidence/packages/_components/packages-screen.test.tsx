import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { EvidencePackage } from "#contract/evidence-package.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { listOf } from "#test/console/server.ts";
import { PackagesScreen } from "./packages-screen.tsx";

const period = { from: "2026-10-01T00:00:00.000Z", to: "2026-10-11T00:00:00.000Z" };
const bare: EvidencePackage = {
  ...sampleOf(EvidencePackage, { gaps: "always" }),
  ...{ filter: period, status: "waiting", requests: 0 },
};
const ready: EvidencePackage = {
  ...sampleOf(EvidencePackage),
  ...{ status: "ready", file_name: "evidence.zip", size_bytes: 4_200_000, failure: null, problem: null },
  filter: { ...period, end_user: "ada@example.eu" },
};

const show = (rows: readonly EvidencePackage[], search = "") =>
  renderConsole(<PackagesScreen />, {
    ...{ pathname: "/evidence/packages", search },
    answers: {
      keys: { names: () => ({ data: [] }) },
      evidencePackages: { list: () => listOf(...rows), delete: () => ({ data: { success: true } }) },
    },
  });

test("without packages, the screen says how to build one", async () => {
  show([]);
  expect(await screen.findByText(/then “Build evidence package”/)).toBeTruthy();
});

test("the progress of a package is how much of its period is read", async () => {
  show([{ ...bare, status: "running", read_until: "2026-10-04T00:00:00.000Z", requests: 1234 }]);
  const row = await screen.findByRole("row", { name: /running, 30/ });
  expect(row.textContent).toContain("1,234");
});

test("a package that is ready can be downloaded, with what it contains", async () => {
  show([ready], `?open=${ready.id}`);
  const sheet = await screen.findByRole("dialog");
  const link = within(sheet).getByRole("link", { name: "Download" });
  expect([link.getAttribute("href"), link.getAttribute("download")]).toEqual([
    `/api/evidence-packages/${ready.id}`,
    "evidence.zip",
  ]);
  expect(within(sheet).getByRole("row", { name: "Size 4.2 MB" })).toBeTruthy();
  expect(within(sheet).getByRole("row", { name: "End user ada@example.eu" })).toBeTruthy();
  expect(within(sheet).getByRole("row", { name: `SHA-256 ${ready.sha256}` })).toBeTruthy();
});

test("a package that is not ready can be cancelled, and not downloaded", async () => {
  const { user, server, query } = show([bare], `?open=${bare.id}`);
  const sheet = await screen.findByRole("dialog");
  expect(within(sheet).queryByRole("link", { name: "Download" })).toBeNull();
  await user.click(within(sheet).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(server.inputsOf("evidencePackages.delete")).toEqual([{ id: bare.id }]));
  await waitFor(() => expect(query().get("open")).toBeNull());
});

test.each([
  ["without anything that may be missing", bare],
  ["with everything there can be", sampleOf(EvidencePackage)],
  ["that failed", { ...bare, status: "failed" as const, failure: "More than 1000000 requests match." }],
])("a package %s is shown without a gap that reads as null", async (_what, row) => {
  show([row], `?open=${row.id}`);
  const sheet = await screen.findByRole("dialog");
  if (row.failure !== null) expect(sheet.textContent).toContain(row.failure);
  for (const text of [sheet.textContent, document.body.textContent])
    expect(text).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
});

import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Erasure, ErasureCounts, SubjectExport } from "#contract/data-subjects.ts";
import { LegalHold } from "#contract/legal-hold.ts";
import { Member } from "#contract/member.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { DataSubjectsScreen } from "./data-subjects-screen.tsx";
import { countLabels } from "./subject.ts";

const downloads = collectDownloads();
const id = "018f0000-0000-7000-8000-0000000000a1";
const anna: Member = { ...sampleOf(Member), user_id: id, name: "Anna" };
const bare: Erasure = { ...sampleOf(Erasure, { gaps: "always" }), id, dry_run: true, status: "done" };
const full: Erasure = { ...sampleOf(Erasure), id };

interface Visit {
  readonly rows?: readonly Erasure[];
  readonly erasures?: Answers["erasures"];
  readonly dataSubjects?: Answers["dataSubjects"];
  readonly legalHolds?: Answers["legalHolds"];
  readonly search?: string;
}

const visit = ({ rows = [], erasures, dataSubjects, legalHolds, search = "" }: Visit = {}) =>
  renderConsole(<DataSubjectsScreen />, {
    search,
    pathname: "/evidence/data-subjects",
    answers: {
      members: { list: () => listOf(anna) },
      keys: { names: () => ({ data: [{ id: "k", name: "Crawler" }] }) },
      erasures: { list: () => listOf(...rows), create: () => ({ data: bare }), ...erasures },
      ...(dataSubjects && { dataSubjects }),
      legalHolds: { list: () => listOf(), ...legalHolds },
    },
  });

const button = (name: string) => screen.findByRole<HTMLButtonElement>("button", { name });

describe("the data of a person", () => {
  test("can be counted, exported and erased only when the person is named", async () => {
    const { user } = visit();
    expect((await button("Dry run")).disabled).toBe(true);
    expect((await button("Erase")).disabled).toBe(true);
    expect(screen.queryByRole("button", { name: "Export" })).toBeNull();
    await user.type(await screen.findByLabelText("End user"), "ada@example.eu");
    expect((await button("Dry run")).disabled).toBe(false);
    const flows = await screen.findByRole("link", { name: "Where it went" });
    expect(flows.getAttribute("href")).toBe("/evidence?range=90d&user=ada%40example.eu");
  });

  test("a dry run asks for nothing but a count, and opens its result", async () => {
    const { user, server, query } = visit({ rows: [bare] });
    await user.type(await screen.findByLabelText("End user"), "ada@example.eu");
    await user.type(screen.getByLabelText("Reference (optional)"), " Case 7 ");
    await user.click(await button("Dry run"));
    await waitFor(() => expect(query().get("open")).toBe(id));
    expect(server.inputsOf("erasures.create")).toEqual([
      { end_user: "ada@example.eu", reference: "Case 7", dry_run: true },
    ]);
  });

  test("is erased only after its name was typed", async () => {
    const { user, server } = visit();
    await user.selectOptions(await screen.findByLabelText("Whose data"), "person");
    await user.selectOptions(await screen.findByLabelText("Person"), "Anna");
    await user.click(await button("Erase"));
    const dialog = within(await screen.findByRole("dialog"));
    const erase = dialog.getByRole<HTMLButtonElement>("button", { name: "Erase" });
    expect(erase.disabled).toBe(true);
    await user.type(dialog.getByLabelText("Type Anna to confirm"), "Anna");
    await user.click(erase);
    await waitFor(() =>
      expect(server.inputsOf("erasures.create")).toEqual([{ user_id: id, dry_run: false }]),
    );
  });

  test("that cannot be counted shows why", async () => {
    const { user } = visit({ erasures: { create: refusing("NOT_FOUND", "No such API key") } });
    await user.selectOptions(await screen.findByLabelText("Whose data"), "api_key");
    await user.selectOptions(await screen.findByLabelText("API key"), "Crawler");
    await user.click(await button("Dry run"));
    expect((await screen.findByRole("alert")).textContent).toContain("No such API key");
  });

  test("is exported with every page", async () => {
    const record = sampleOf(SubjectExport.shape.data.element);
    const { user, server } = visit({
      dataSubjects: {
        export: ({ after }) => ({ data: [record], next: after ? null : "2026-11-01T00:00:00.000Z_a" }),
      },
    });
    await user.type(await screen.findByLabelText("End user"), "ada");
    await user.click(await button("Export"));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(JSON.parse((await downloads[0]?.text()) ?? "")).toMatchObject({
      end_user: "ada",
      requests: [{ id: record.id }, { id: record.id }],
    });
    expect(server.inputsOf("dataSubjects.export")).toHaveLength(2);
  });
});

test.each([
  ["without anything that may be missing", bare],
  ["with everything there can be", full],
])("an erasure %s is shown without a gap that reads as null", async (_what, erasure) => {
  visit({ rows: [erasure], search: `?open=${id}` });
  const sheet = await screen.findByRole("dialog");
  expect(sheet.textContent).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
});

describe("legal holds", () => {
  const hold: LegalHold = {
    ...sampleOf(LegalHold, { gaps: "always" }),
    ...{ id, name: "Case 17", subject_type: "person", subject: anna.user_id },
  };
  const ended: LegalHold = {
    ...sampleOf(LegalHold),
    name: "Old case",
    subject_type: "end_user",
    subject: null,
  };

  test("are listed with whom they concern, and only one in force can be released", async () => {
    visit({
      legalHolds: { list: () => listOf(hold, { ...ended, released_at: "2026-11-01T00:00:00.000Z" }) },
    });
    const list = within(await screen.findByRole("table", { name: "Legal holds" }));
    expect((await list.findByRole("row", { name: /Case 17/ })).textContent).toContain("Person Anna");
    expect(list.getByRole("row", { name: /Old case/ }).textContent).toContain("released");
    expect(list.getAllByRole("button", { name: /^Release/ })).toHaveLength(1);
  });

  test("is set for whom it names, and for everything only if that is chosen", async () => {
    const { user, server } = visit({ legalHolds: { create: () => ({ data: hold }) } });
    const begin = async () => {
      await user.click(await button("New legal hold"));
      return within(await screen.findByRole("dialog", { name: "New legal hold" }));
    };
    const dialog = await begin();
    const set = () => dialog.getByRole<HTMLButtonElement>("button", { name: "Set legal hold" });
    expect(set().disabled).toBe(true);
    await user.type(dialog.getByLabelText("Name"), " Case 17 ");
    await user.type(dialog.getByLabelText("End user"), "ada");
    await user.click(set());
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const second = await begin();
    await user.type(second.getByLabelText("Name"), "All");
    await user.selectOptions(second.getByLabelText("Whose data"), "All data of the organisation");
    await user.type(second.getByLabelText("Reference (optional)"), "AZ 1");
    await user.click(second.getByRole("button", { name: "Set legal hold" }));
    await waitFor(() =>
      expect(server.inputsOf("legalHolds.create")).toEqual([
        { name: "Case 17", end_user: "ada" },
        { name: "All", reference: "AZ 1" },
      ]),
    );
  });

  test("is released only after its name was typed", async () => {
    const { user, server } = visit({
      legalHolds: { list: () => listOf(hold), release: () => ({ data: hold }) },
    });
    await user.click(await button("Release Case 17"));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Release" }).disabled).toBe(true);
    await user.type(dialog.getByLabelText("Type Case 17 to confirm"), "Case 17");
    await user.click(dialog.getByRole("button", { name: "Release" }));
    await waitFor(() => expect(server.inputsOf("legalHolds.release")).toEqual([{ id }]));
  });
});

test("every count of the contract has a label of its own", () => {
  expect(Object.keys(countLabels).toSorted()).toEqual(Object.keys(ErasureCounts.shape).toSorted());
  expect(new Set(Object.values(countLabels)).size).toBe(Object.keys(countLabels).length);
});

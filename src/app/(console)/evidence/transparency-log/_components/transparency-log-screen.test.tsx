import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { LogTimestamp, TransparencyLog } from "#contract/transparency-log.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { TransparencyLogScreen } from "./transparency-log-screen.tsx";

const downloads = collectDownloads();
const log: TransparencyLog = {
  ...sampleOf(TransparencyLog, { gaps: "always" }),
  ...{
    origin: "portolan.test/transparency/x",
    size: 1234,
    public_keys: ["a+b+c", "d+e+f"],
    witnesses: [],
    publications: [],
  },
};
const stamp: LogTimestamp = {
  ...sampleOf(LogTimestamp),
  ...{ authority: "https://tsa.example/tsr", size: 12, checkpoint: "origin\n12\n", response: btoa("answer") },
};

const show = (transparencyLog: Answers["transparencyLog"]) =>
  renderConsole(<TransparencyLogScreen />, {
    pathname: "/evidence/transparency-log",
    answers: { transparencyLog: { get: () => log, timestamps: () => listOf(), ...transparencyLog } },
  });

test("the state of the log, its keys, and that nobody else signed it", async () => {
  show({});
  const facts = await screen.findByRole("table", { name: "Newest checkpoint" });
  expect(within(facts).getByRole("row", { name: /^Entries/ }).textContent).toContain("1,234");
  expect(screen.getByText(/a\+b\+c/).textContent).toContain("d+e+f");
  expect(screen.getByText(/No witness signs the checkpoints/)).toBeTruthy();
  expect(screen.getByText(/Checkpoints are not published/)).toBeTruthy();
  expect(await screen.findByText("No timestamps")).toBeTruthy();
});

test("where checkpoints were published, with their entries", async () => {
  const published = {
    target: "https://hooks.example/x",
    size: 1200,
    published_at: "2026-11-01T00:00:00.000Z",
  };
  show({ get: () => ({ ...log, publications: [published] }) });
  const places = await screen.findByRole("table", { name: "Published checkpoints" });
  const place = within(places).getByRole("row", { name: /^https:\/\/hooks\.example\/x/ });
  expect(place.textContent).toContain("1,200 entries");
});

test("witnesses with the time of their signature", async () => {
  show({
    get: () => ({
      ...log,
      witnesses: [{ name: "witness.example", cosigned_at: "2026-11-01T00:00:00.000Z" }],
    }),
  });
  const witnesses = await screen.findByRole("table", { name: "Witnesses" });
  expect(within(witnesses).getByRole("row", { name: /^witness\.example/ }).textContent).toContain("2026");
});

test("a timestamp is saved as the two files that openssl verifies", async () => {
  const { user } = show({ timestamps: () => listOf(stamp) });
  await user.click(await screen.findByRole("button", { name: /^Download the timestamp/ }));
  await waitFor(() => expect(downloads).toHaveLength(2));
  const saved = await Promise.all(downloads.map(async ({ name, text }) => [name, await text()]));
  expect(saved).toEqual([
    ["checkpoint-12.txt", "origin\n12\n"],
    ["checkpoint-12.tsr", "answer"],
  ]);
});

test("a log that does not exist yet says so, and timestamps are still shown", async () => {
  show({ get: refusing("NOT_FOUND", "The organisation has no transparency log yet.") });
  expect((await screen.findByRole("alert")).textContent).toContain("no transparency log yet");
  expect(await screen.findByText("No timestamps")).toBeTruthy();
});

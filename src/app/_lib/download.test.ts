import { expect, test } from "vitest";
import { collectDownloads } from "#test/console/downloads.ts";
import { download } from "./download.ts";

const downloads = collectDownloads();

test("a file has its name, its type and its text as it is", async () => {
  download("usage.csv", "text/csv", "day,Größe\n2026-11-01,€0.10\n");
  const [file] = downloads;
  expect(file).toMatchObject({ name: "usage.csv", type: "text/csv" });
  expect(await file?.text()).toBe("day,Größe\n2026-11-01,€0.10\n");
});

import { expect, test } from "vitest";
import { retirementOf } from "./retirement.ts";

const none = { deprecation_date: null, expiration_date: null, successor: null };
const known = new Map([["lab/next", {}]]);

test.each([
  ["nothing is announced", none, null],
  ["a successor alone announces nothing", { ...none, successor: "lab/next" }, null],
  [
    "the day of deprecation is a structured date",
    { ...none, deprecation_date: "2026-11-20" },
    { deprecation: "@1795132800" },
  ],
  [
    "the day of expiration is an HTTP date",
    { ...none, expiration_date: "2027-02-01" },
    { sunset: "Mon, 01 Feb 2027 00:00:00 GMT" },
  ],
  [
    "a known successor is linked",
    { deprecation_date: "2026-11-20", expiration_date: "2027-02-01", successor: "lab/next" },
    {
      deprecation: "@1795132800",
      sunset: "Mon, 01 Feb 2027 00:00:00 GMT",
      link: '</api/v1/models/lab/next/endpoints>; rel="successor-version"',
    },
  ],
  [
    "a successor outside the catalogue is not linked",
    { ...none, expiration_date: "2027-02-01", successor: "lab/other" },
    { sunset: "Mon, 01 Feb 2027 00:00:00 GMT" },
  ],
])("%s", (_, announced, headers) => {
  expect(retirementOf(announced, known)?.headers ?? null).toEqual(headers);
});

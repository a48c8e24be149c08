import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { formatAbsolute, formatStart } from "./format.ts";
import { browserZone, chooseTimeZone, msOfLocal, timeZone, timeZones } from "./time-zone.ts";

beforeEach(() => localStorage.clear());

test("without a choice the browser's zone counts, and a damaged choice is none", () => {
  expect(timeZone()).toBeUndefined();
  localStorage.setItem("portolan-time-zone", "Europe/Atlantis");
  expect(timeZone()).toBeUndefined();
  chooseTimeZone("Asia/Tokyo");
  expect(timeZone()).toBe("Asia/Tokyo");
  chooseTimeZone(null);
  expect(timeZone()).toBeUndefined();
  expect(timeZones()).toContain(browserZone());
});

test("dates and axes are in the chosen zone", () => {
  const iso = "2026-11-20T23:30:00.000Z";
  chooseTimeZone("Asia/Tokyo");
  expect(formatAbsolute(iso)).toMatch(/^21 Nov 2026(,| at) 08:30:00 (GMT\+9|JST)$/);
  expect(formatStart(iso, 60_000)).toBe("08:30");
  chooseTimeZone("UTC");
  expect(formatAbsolute(iso)).toMatch(/^20 Nov 2026(,| at) 23:30:00 UTC$/);
  expect(formatStart(iso, 24 * 3_600_000)).toBe("20 Nov");
});

test.each([
  ["UTC", "2026-11-20T08:30", "2026-11-20T08:30:00.000Z"],
  ["Europe/Berlin", "2026-11-20T08:30", "2026-11-20T07:30:00.000Z"],
  ["Europe/Berlin", "2026-07-20T08:30", "2026-07-20T06:30:00.000Z"],
  // The hours around the changes to and from summer time.
  ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00.000Z"],
  ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00.000Z"],
  ["Asia/Kolkata", "2026-11-20T08:30", "2026-11-20T03:00:00.000Z"],
])("in %s the field %s means %s", (zone, local, iso) => {
  chooseTimeZone(zone);
  expect(msOfLocal(local)).toBe(Date.parse(iso));
});

test("a time of a field is read back as it was typed, in every zone", () => {
  const zones = fc.constantFrom(...timeZones());
  const days = fc.date({
    min: new Date(Date.UTC(2020, 0, 10)),
    max: new Date(Date.UTC(2030, 0, 1)),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(zones, days, (zone, day) => {
      // Noon: no zone changes its clocks then.
      const local = `${day.toISOString().slice(0, 10)}T12:00`;
      chooseTimeZone(zone);
      const shown = new Intl.DateTimeFormat("sv-SE", {
        ...{ timeZone: zone, dateStyle: "short", timeStyle: "short" },
      }).format(msOfLocal(local));
      expect(shown.replace(" ", "T")).toBe(local);
    }),
  );
});

import { expect, test } from "vitest";
import { accepts, isCompressible } from "./content-coding.ts";

const br = { name: "br" } as const;

test("a coding is used only for who names it, and does not refuse it with a weight of zero", () => {
  for (const header of ["br", "gzip, br", "gzip;q=1.0, BR;q=0.5", "br ; q=0.001"])
    expect([header, accepts(header, br)]).toEqual([header, true]);
  for (const header of [undefined, "", "gzip", "brotli", "*", "br;q=0", "br; q = 0.000, gzip", "identity"])
    expect([header, accepts(header, br)]).toEqual([header, false]);
});

test("texts are compressed; images and fonts are compressed already", () => {
  for (const type of ["text/css; charset=utf-8", "application/json", "image/svg+xml"])
    expect([type, isCompressible(type)]).toEqual([type, true]);
  for (const type of ["image/png", "font/woff2", "application/octet-stream"])
    expect([type, isCompressible(type)]).toEqual([type, false]);
});

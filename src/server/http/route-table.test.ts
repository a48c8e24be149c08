import { expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "#server/api/root.ts";
import { anyone, rest, router } from "#server/api/trpc.ts";
import { compileRoutes, matchPath } from "./route-table.ts";

const about = { summary: "About", tag: "Test", public: true } as const;
const answer = anyone.input(z.object({ id: z.string().optional() })).output(z.object({}));
const handler = () => ({});

/** Declared with parameters first, so that only sorting can prefer literal paths. */
const testRouter = router({
  things: router({
    get: answer.meta(rest("GET", "/things/{id}", about)).query(handler),
    replace: answer.meta(rest("PUT", "/things/{id}", about)).mutation(handler),
    part: answer.meta(rest("GET", "/things/{id}/parts/{part}", about)).query(handler),
    newest: answer.meta(rest("GET", "/things/newest", about)).query(handler),
    make: answer.meta(rest("POST", "/things", { ...about, status: 201 })).mutation(handler),
    dotted: answer.meta(rest("GET", "/a.b", about)).query(handler),
  }),
});
// The table reads only the procedures' meta, of any router.
const routes = compileRoutes(testRouter as unknown as typeof appRouter);
const found = (path: string) =>
  matchPath(routes, path).map(({ route, parameters }) => [route.method, route.procedure, parameters]);

test("a literal path is preferred to one with a parameter", () => {
  expect(found("/things/newest")).toEqual([["GET", "things.newest", {}]]);
  expect(found("/things/other")).toEqual([
    ["GET", "things.get", { id: "other" }],
    ["PUT", "things.replace", { id: "other" }],
  ]);
});

test("parameters are decoded once, and an invalid one is refused by name", () => {
  expect(found("/things/a%2Fb/parts/%C3%A9%2520")).toEqual([
    ["GET", "things.part", { id: "a/b", part: "é%20" }],
  ]);
  const refused = (param: string) => expect.objectContaining({ code: "BAD_REQUEST", param });
  expect(() => found("/things/%E0%A4%A")).toThrow(refused("id"));
  expect(() => found("/things/a%00")).toThrow(refused("id"));
  expect(() => found("/things/a/parts/%00")).toThrow(refused("part"));
  expect(found("/nothing/a%00")).toEqual([]);
});

test("a path must match completely, and its dots are literal", () => {
  for (const path of [
    "",
    "/",
    "/things/",
    "/things/x/",
    "/things/x/parts",
    "/thingsx",
    "/aXb",
    "/things//parts/1",
  ]) {
    expect(found(path)).toEqual([]);
  }
  expect(found("/a.b")).toHaveLength(1);
});

test("status and method come from the declaration", () => {
  expect(matchPath(routes, "/things")[0]?.route).toMatchObject({ method: "POST", status: 201 });
});

test("every route of the program is found under its own path, and no two are equal", () => {
  const all = compileRoutes(appRouter);
  expect(all.length).toBeGreaterThan(0);
  expect(new Set(all.map(({ method, pattern }) => `${method} ${pattern.source}`)).size).toBe(all.length);
});

// An installation with much in it: SCALE_GENERATIONS requests, 100,000 by default.
import { makeHistory } from "#test/history.ts";
import { startWith } from "./start-with.ts";

const generations = Number(process.env.SCALE_GENERATIONS ?? 100_000);
await startWith((database, owner) =>
  makeHistory(database, { ...owner, generations, rules: 2_000, keys: 500 }),
);

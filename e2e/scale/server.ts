// An installation with much in it.
import { makeHistory } from "#test/history.ts";
import { startWith } from "./start-with.ts";

await startWith((database, owner) =>
  makeHistory(database, { ...owner, generations: 100_000, rules: 2_000, keys: 500 }),
);

import { expect, test } from "vitest";
import { changesData } from "./link.ts";

test.each([
  "select 1",
  "  SELECT * from updates",
  "with page as (select id from generation) select * from page",
  "\n    with scanned as materialized (select id from generation) select count(*) from scanned",
  "begin",
])("%j only reads: a client that loses its answer may simply ask again", (text) => {
  expect(changesData(text)).toBe(false);
});

test.each([
  "insert into a values (1)",
  "update a set b = 1",
  "delete from a",
  "truncate a",
  "with taken as (delete from a returning *) select * from taken",
  "with fresh as (\n insert\n into a select 1 returning id) select id from fresh",
  "WITH one AS (select 1) UPDATE a set b = 1",
  "with one as (select id from a for update) select * from one",
])("%j may change data: a client that loses its answer does not know whether it did", (text) => {
  expect(changesData(text)).toBe(true);
});

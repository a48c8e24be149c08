-- For ids that are no UUIDv7, or from later months.
CREATE TABLE "generation_other" (LIKE "generation" INCLUDING ALL EXCLUDING CONSTRAINTS);

WITH bound AS (
  SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''')::UUID AS id
  FROM pg_constraint WHERE conname = 'generation_past_bound' AND conrelid = 'generation'::regclass
), moved AS (
  DELETE FROM "generation" USING bound WHERE "generation"."id" >= bound.id RETURNING "generation".*
)
INSERT INTO "generation_other" SELECT * FROM moved;

-- Reads every row; other processes read and write meanwhile.
ALTER TABLE "generation" VALIDATE CONSTRAINT "generation_past_bound";

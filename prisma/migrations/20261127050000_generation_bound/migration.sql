-- The next two migrations divide this table into months by its ids, which begin with their time (UUIDv7). Existing
-- rows become one partition, up to a bound. NOT VALID: no row is read while the table is locked.
DO $$
DECLARE
  end_of_past TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC') + INTERVAL '2 months';
  bound UUID := (lpad(to_hex((extract(epoch FROM end_of_past) * 1000)::BIGINT), 12, '0') || repeat('0', 20))::UUID;
BEGIN
  EXECUTE format('ALTER TABLE "generation" ADD CONSTRAINT "generation_past_bound" CHECK ("id" < %L) NOT VALID', bound);
END $$;

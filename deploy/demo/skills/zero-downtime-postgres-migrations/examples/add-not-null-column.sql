-- Add orders.currency (text, NOT NULL) to a large, busy table.
-- Run each step on its own, in its own transaction; steps 2 and 3 are application work.
-- With psql each statement below commits by itself (do not use --single-transaction).

SET lock_timeout = '2s';

-- Step 1 (expand): metadata only, no rewrite. The default covers inserts from old code.
ALTER TABLE orders ADD COLUMN currency text;
ALTER TABLE orders ALTER COLUMN currency SET DEFAULT 'EUR';

-- Step 2: deploy code that writes currency on every insert and update.

-- Step 3: backfill old rows in batches (see backfill-batches.sql), then prove it is complete.
-- This must return 0:
SELECT count(*) AS still_null FROM orders WHERE currency IS NULL;

-- Step 4: forbid new NULLs. Short lock, no scan.
ALTER TABLE orders
  ADD CONSTRAINT orders_currency_not_null CHECK (currency IS NOT NULL) NOT VALID;

-- Step 5: check the old rows. Reads and writes go on during the scan.
ALTER TABLE orders VALIDATE CONSTRAINT orders_currency_not_null;

-- Step 6: PostgreSQL 12 and newer sees the valid check and does not scan again.
ALTER TABLE orders ALTER COLUMN currency SET NOT NULL;

-- Step 7: the check has done its work.
ALTER TABLE orders DROP CONSTRAINT orders_currency_not_null;

-- Way back:
--   after steps 4-5: ALTER TABLE orders DROP CONSTRAINT orders_currency_not_null;
--   after steps 6-7: ALTER TABLE orders ALTER COLUMN currency DROP NOT NULL;
--   after step 1, when no running code uses it: ALTER TABLE orders DROP COLUMN currency;

-- Checks for a restore drill. Each DO block raises an exception when the data is not as it should be.
-- Replace table names and limits with your own. Run with: psql -v ON_ERROR_STOP=1 -f restore-checks.sql

-- 1. There are tables at all.
DO $$
DECLARE n bigint;
BEGIN
  SELECT count(*) INTO n FROM pg_stat_user_tables;
  IF n < 1 THEN
    RAISE EXCEPTION 'no tables were restored';
  END IF;
END $$;

-- 2. No index is invalid.
DO $$
DECLARE bad text;
BEGIN
  SELECT string_agg(indexrelid::regclass::text, ', ') INTO bad FROM pg_index WHERE NOT indisvalid;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'invalid indexes: %', bad;
  END IF;
END $$;

-- 3. Sequences owned by a column are not behind that column.
DO $$
DECLARE
  r record;
  highest bigint;
  seq_value bigint;
BEGIN
  FOR r IN
    SELECT s.oid::regclass AS seq, t.oid::regclass AS tab, quote_ident(a.attname) AS col
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass
                    AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S'
  LOOP
    EXECUTE format('SELECT max(%s) FROM %s', r.col, r.tab) INTO highest;
    EXECUTE format('SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM %s', r.seq)
      INTO seq_value;
    IF highest > seq_value THEN
      RAISE EXCEPTION 'sequence % is at % but %.% goes up to %', r.seq, seq_value, r.tab, r.col, highest;
    END IF;
  END LOOP;
END $$;

-- 4. The newest row is recent enough. Edit and enable.
-- DO $$
-- BEGIN
--   IF (SELECT coalesce(max(created_at), '-infinity') FROM orders) < now() - interval '26 hours' THEN
--     RAISE EXCEPTION 'orders: newest row is older than 26 hours';
--   END IF;
-- END $$;

-- Backfill orders.currency with a commit per batch. Restartable: run it again after a failure.
-- Call it outside a transaction block: a procedure that commits cannot run inside one.

CREATE OR REPLACE PROCEDURE backfill_orders_currency(
  batch_size int DEFAULT 5000,
  pause_seconds numeric DEFAULT 0.1,
  max_lag_seconds numeric DEFAULT 10
)
LANGUAGE plpgsql
AS $$
DECLARE
  from_id bigint;
  last_id bigint;
  changed bigint;
  total bigint := 0;
  lag_seconds numeric;
BEGIN
  SELECT min(id) - 1, max(id) INTO from_id, last_id FROM orders;
  WHILE from_id < last_id LOOP
    UPDATE orders
       SET currency = 'EUR'
     WHERE id > from_id AND id <= from_id + batch_size
       AND currency IS NULL;
    GET DIAGNOSTICS changed = ROW_COUNT;
    total := total + changed;
    from_id := from_id + batch_size;
    COMMIT;

    -- Wait while a replica is behind. NULL (no replica, or idle) counts as no lag.
    LOOP
      SELECT coalesce(max(extract(epoch FROM replay_lag)), 0)
        INTO lag_seconds FROM pg_stat_replication;
      EXIT WHEN lag_seconds <= max_lag_seconds;
      RAISE NOTICE 'replica lag % s, waiting', round(lag_seconds, 1);
      COMMIT;  -- a fresh snapshot of the statistics, and no long transaction
      PERFORM pg_sleep(5);
      COMMIT;
    END LOOP;

    PERFORM pg_sleep(pause_seconds);
  END LOOP;
  RAISE NOTICE 'backfilled % rows', total;
END;
$$;

CALL backfill_orders_currency();

DROP PROCEDURE backfill_orders_currency(int, numeric, numeric);

-- read_inbox_shards: the shards that have committed rows in the inbox.
-- Called by:   statements/read_inbox_shards.sql, every few milliseconds by a process that has several shards.
-- Locks:       none.
-- Access path: inbox_pk: one row of each shard that has any, so one look into it where none has.
-- Changes:     nothing.
DROP FUNCTION IF EXISTS ringtable.read_inbox_shards;

CREATE FUNCTION ringtable.read_inbox_shards() RETURNS TABLE (shard_id integer)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    v_shard_id integer := -1;
BEGIN
    LOOP
        v_shard_id := (
            SELECT i.shard_id
            FROM ringtable.inbox AS i
            WHERE i.shard_id > v_shard_id
            ORDER BY i.shard_id, i.inbox_id
            LIMIT 1);
        EXIT WHEN v_shard_id IS NULL;
        shard_id := v_shard_id;
        RETURN NEXT;
    END LOOP;
END
$$;

COMMENT ON FUNCTION ringtable.read_inbox_shards IS 'The shards that have committed rows in the inbox';

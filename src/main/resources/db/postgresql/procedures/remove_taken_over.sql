-- remove_taken_over: deletes messages that a shard in another database has taken over.
-- Called by:   statements/remove_taken_over.sql, commit included.
-- Locks:       the rows that it deletes.
-- Access path: inbox_pk.
-- Changes:     any number of rows: an earlier call may have deleted them, and its answer was lost.
DROP FUNCTION IF EXISTS ringtable.remove_taken_over;

CREATE FUNCTION ringtable.remove_taken_over(p_shard_id integer, p_inbox_ids bigint[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
BEGIN
    DELETE FROM ringtable.inbox AS i WHERE i.shard_id = p_shard_id AND i.inbox_id = ANY (p_inbox_ids);
END
$$;

COMMENT ON FUNCTION ringtable.remove_taken_over IS
    'Deletes messages that a shard in another database has taken over';

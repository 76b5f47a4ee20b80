-- delete_from_inbox: deletes the rows that a flush has taken over.
-- Called by:   flush_inbox.
-- Locks:       the rows that it deletes.
-- Access path: inbox_pk.
-- Changes:     any number of rows; answers how many.
DROP FUNCTION IF EXISTS ringtable.delete_from_inbox;

CREATE FUNCTION ringtable.delete_from_inbox(p_shard_id integer, p_inbox_ids bigint[]) RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
DECLARE
    v_deleted bigint;
BEGIN
    DELETE FROM ringtable.inbox AS i WHERE i.shard_id = p_shard_id AND i.inbox_id = ANY (p_inbox_ids);
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    RETURN v_deleted;
END
$$;

COMMENT ON FUNCTION ringtable.delete_from_inbox IS 'Deletes the rows of the inbox that a flush has taken over';

-- open_crossing: begins to take over what lies in the inbox of another database, and tells what came last.
-- Called by:   statements/open_crossing.sql, commit included.
-- Locks:       FOR KEY SHARE on the owner row: flushes go on, a new owner waits; the row of the crossing.
-- Access path: shard_pk; crossing_pk.
-- Changes:     one row of crossing: its number rises, so a call that was sent earlier changes nothing any more.
DROP FUNCTION IF EXISTS ringtable.open_crossing;

CREATE FUNCTION ringtable.open_crossing(p_shard_id integer, p_epoch bigint, p_origin integer)
RETURNS TABLE (number bigint, inbox_ids bigint[])
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    RETURN QUERY
        INSERT INTO ringtable.crossing AS c (shard_id, origin, number, inbox_ids)
        VALUES (p_shard_id, p_origin, 1, '{}')
        ON CONFLICT ON CONSTRAINT crossing_pk DO UPDATE SET number = c.number + 1
        RETURNING c.number, c.inbox_ids;
END
$$;

COMMENT ON FUNCTION ringtable.open_crossing IS
    'Begins to take over what lies in the inbox of another database, and tells what came last';

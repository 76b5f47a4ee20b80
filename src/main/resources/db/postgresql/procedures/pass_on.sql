-- pass_on: passes messages of the inbox on to another shard, in which their address lives.
-- Called by:   statements/pass_on.sql, commit included.
-- Locks:       FOR KEY SHARE on the owner row: flushes go on, a new owner waits; the rows that it passes on.
-- Access path: shard_pk; inbox_pk.
-- Changes:     shard_id of each row that is named, or nothing; any other count raises RT016.
--
-- A home in another database finds the rows here, in its part of this inbox, and takes them over (take_over).
-- Rows keep their ids, and a look in the other shard sees all rows of one call or none: so the order of each caller
-- stays what it was. A former owner passes nothing on.
DROP FUNCTION IF EXISTS ringtable.pass_on;

CREATE FUNCTION ringtable.pass_on(p_shard_id integer, p_epoch bigint, p_home integer, p_inbox_ids bigint[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
AS $$
DECLARE
    v_epoch  bigint;
    v_passed bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    UPDATE ringtable.inbox AS i SET shard_id = p_home WHERE i.shard_id = p_shard_id AND i.inbox_id = ANY (p_inbox_ids);
    GET DIAGNOSTICS v_passed = ROW_COUNT;
    IF v_passed <> cardinality(p_inbox_ids) THEN
        RAISE EXCEPTION USING ERRCODE = 'RT016',
            MESSAGE = format('inbox: %s rows passed on where %s must', v_passed, cardinality(p_inbox_ids));
    END IF;
    -- The commit need not reach the disk: the flush that takes the rows over comes later in the log and carries it
    -- along. If the server fails before that, the rows are where they were. A shard of another database writes to a log
    -- of its own, so the commit has to be on disk before that shard can take the rows over.
    IF EXISTS (SELECT FROM ringtable.shard AS h WHERE h.shard_id = p_home) THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
END
$$;

COMMENT ON FUNCTION ringtable.pass_on IS 'Passes messages of the inbox on to the shard in which their address lives';

-- unstage: deletes bodies that nobody owes any more.
-- Called by:   statements/unstage.sql, commit included.
-- Locks:       FOR KEY SHARE on the owner row: flushes go on, a new owner waits.
-- Access path: shard_pk; overflow_pk.
-- Changes:     every chunk of the bodies; those that are not there are passed over.
DROP FUNCTION IF EXISTS ringtable.unstage;

CREATE FUNCTION ringtable.unstage(p_shard_id integer, p_epoch bigint, p_body_ids bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    DELETE FROM ringtable.overflow WHERE shard_id = p_shard_id AND body_id = ANY (p_body_ids);
END
$$;

COMMENT ON FUNCTION ringtable.unstage IS 'Deletes bodies in overflow';

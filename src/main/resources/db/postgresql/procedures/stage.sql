-- stage: stores a large body, in chunks, before the flush that claims its message.
-- Called by:   statements/stage.sql, commit included.
-- Locks:       FOR KEY SHARE on the owner row: flushes go on, a new owner waits; so a former one stages nothing.
-- Access path: shard_pk; appends to overflow.
-- Changes:     one row per chunk.
DROP FUNCTION IF EXISTS ringtable.stage;

CREATE FUNCTION ringtable.stage(p_shard_id integer, p_epoch bigint, p_body_id bigint, p_data bytea[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint;
BEGIN
    SELECT epoch INTO v_epoch FROM ringtable.shard WHERE shard_id = p_shard_id FOR KEY SHARE;
    IF v_epoch IS DISTINCT FROM p_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'RT015',
            MESSAGE = format('epoch %s is not the epoch %s of shard %s', p_epoch, v_epoch, p_shard_id);
    END IF;
    INSERT INTO ringtable.overflow (shard_id, body_id, chunk, chunks, data)
    SELECT p_shard_id, p_body_id, c.ordinality - 1, cardinality(p_data), c.data
    FROM unnest(p_data) WITH ORDINALITY AS c (data, ordinality);
END
$$;

COMMENT ON FUNCTION ringtable.stage IS 'Stores a large body before the flush that claims its message';

-- keep_duplicate_ids: overwrites the oldest ids of their windows.
-- Called by:   flush_once.
-- Locks:       the rows that it changes.
-- Access path: duplicate_id_pk, one row per id.
-- Changes:     any number of rows; answers how many: a younger id is never overwritten.
DROP FUNCTION IF EXISTS ringtable.keep_duplicate_ids;

CREATE FUNCTION ringtable.keep_duplicate_ids(
    p_shard_id integer,
    p_address_id bigint[],
    p_position integer[],
    p_ordinal bigint[],
    p_id bytea[])
RETURNS bigint
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_kept bigint;
BEGIN
    INSERT INTO ringtable.duplicate_id AS d (shard_id, address_id, position, ordinal, id)
    SELECT p_shard_id, n.address_id, n.position, n.ordinal, n.id
    FROM unnest(p_address_id, p_position, p_ordinal, p_id) AS n (address_id, position, ordinal, id)
    ON CONFLICT (shard_id, address_id, position) DO UPDATE SET ordinal = excluded.ordinal, id = excluded.id
        WHERE d.ordinal <= excluded.ordinal;
    GET DIAGNOSTICS v_kept = ROW_COUNT;
    RETURN v_kept;
END
$$;

COMMENT ON FUNCTION ringtable.keep_duplicate_ids IS 'Keeps the ids of messages that a flush has stored';

-- read_passed_on: the addresses whose messages are on their way through the inbox to other shards, and these shards.
-- Called by:   statements/read_passed_on.sql, once for each owner, then while an address has moved to another shard.
-- Locks:       none.
-- Access path: placement_pk; inbox_pk, around the messages of the lowest shard.
-- Changes:     nothing.
--
-- Applications lay their messages down for the lowest shard: those are not on their way yet. A message that its shard
-- passes on meanwhile is seen at one place or at the other, as one snapshot has it.
DROP FUNCTION IF EXISTS ringtable.read_passed_on;

CREATE FUNCTION ringtable.read_passed_on(p_shard_id integer) RETURNS TABLE (address text, shard_id integer)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- as for read_inbox
SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    v_lowest integer := coalesce((SELECT min(p.shard_id) FROM ringtable.placement AS p WHERE p.here), 0);
BEGIN
    RETURN QUERY
        SELECT i.address, i.shard_id
        FROM ringtable.inbox AS i
        WHERE i.shard_id < v_lowest AND i.shard_id <> p_shard_id AND i.address IS NOT NULL
        UNION
        SELECT i.address, i.shard_id
        FROM ringtable.inbox AS i
        WHERE i.shard_id > v_lowest AND i.shard_id <> p_shard_id AND i.address IS NOT NULL;
END
$$;

COMMENT ON FUNCTION ringtable.read_passed_on IS
    'The addresses whose messages are on their way through the inbox to other shards, and these shards';

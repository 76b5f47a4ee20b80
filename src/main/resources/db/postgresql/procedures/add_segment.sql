-- add_segment: adds an empty segment: a table of slots and one of settlements that nobody else has ever seen.
-- Called by:   prepare_segments: when the ring is laid, and when a reader holds a segment that should be emptied.
-- Locks:       SHARE UPDATE EXCLUSIVE on slot and settlement, which no reader and no flush of any shard waits for.
-- Access path: the whole of segment, a few dozen rows.
-- Changes:     one row of segment, and two tables that come with it.
DROP FUNCTION IF EXISTS ringtable.add_segment;

CREATE FUNCTION ringtable.add_segment(p_shard_id integer) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    v_segment smallint;
BEGIN
    -- Numbers are shared by all shards: a segment belongs to one of them for ever. One shard at a time takes the next,
    -- under the lock that attaching needs anyway. A lock on the table segment would not do: two shards that have each
    -- written a row of it would wait for each other.
    LOCK TABLE ONLY ringtable.slot IN SHARE UPDATE EXCLUSIVE MODE;
    SELECT coalesce(max(segment), 0) + 1 INTO v_segment FROM ringtable.segment;
    -- Vacuum has nothing to do in a segment, and its lock would be in the way of the one that empties it. Attaching,
    -- unlike CREATE TABLE ... PARTITION OF, waits for no reader of the ring.
    EXECUTE format('CREATE TABLE ringtable.slot_%s (LIKE ringtable.slot INCLUDING STORAGE INCLUDING CONSTRAINTS)'
        ' WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false, toast_tuple_target = 8160)', v_segment);
    EXECUTE format('CREATE INDEX slot_%s_brin ON ringtable.slot_%s USING brin (sequence) WITH (pages_per_range = 16)',
        v_segment, v_segment);
    EXECUTE format('ALTER TABLE ringtable.slot ATTACH PARTITION ringtable.slot_%s FOR VALUES IN (%s)', v_segment,
        v_segment);
    EXECUTE format('CREATE TABLE ringtable.settlement_%s'
        ' (LIKE ringtable.settlement INCLUDING STORAGE INCLUDING CONSTRAINTS INCLUDING INDEXES)'
        ' WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false, fillfactor = 50)', v_segment);
    EXECUTE format('ALTER TABLE ringtable.settlement ATTACH PARTITION ringtable.settlement_%s FOR VALUES IN (%s)',
        v_segment, v_segment);
    INSERT INTO ringtable.segment (segment, shard_id, ordinal, summarized) VALUES (v_segment, p_shard_id, NULL, false);
    RETURN v_segment;
END
$$;

COMMENT ON FUNCTION ringtable.add_segment IS
    'Adds an empty segment to the ring: when it is laid, and when a reader holds one that should be emptied';

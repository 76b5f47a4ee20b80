-- commit_as_one: has the transaction of the caller commit on all nodes of Citus, or on none of them.
-- Called by:   lay_in_inbox and settle, on a server that has loaded Citus.
-- Locks:       ringtable_citus.witness and its shard in ROW EXCLUSIVE, which callers share.
-- Access path: pg_extension_name_index; pg_dist_partition_logical_relid_index.
-- Changes:     nothing; refuses with SQLSTATE 22023 (RT-4660, RT-4661) where Citus could commit on one node alone.
--
-- Citus takes no notice of the inbox, which is a plain table of this node. By itself it would commit on one other node
-- in one phase, and on this node after that. It uses two phases for all that the transaction has changed and will
-- change, once it has begun to copy the rows of a query into one of its tables. This query has no rows. So no node is
-- asked, and it does not matter where the table's shard lies (ADR 78).
DROP FUNCTION IF EXISTS ringtable.commit_as_one;

CREATE FUNCTION ringtable.commit_as_one() RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RETURN; -- other databases of this server have it
    END IF;
    -- Citus takes a query there for one that only reads, and commits it by itself.
    IF current_setting('application_name') LIKE 'citus%gpid=%' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = 'RT-4661 Citus has passed the call on to another node, as a part of a query or of a distributed'
                ' function: call ringtable.publish or ringtable.settle by a statement of its own';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('ringtable_citus.witness')) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = 'RT-4660 Citus does not know ringtable_citus.witness on this node, so that the transaction could'
                ' commit on another node and not here: add this node to the coordinator, and run setup/citus.sql there';
    END IF;
    -- The record of the decision lies here, and has to outlast a crash before another node is told.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    INSERT INTO ringtable_citus.witness (nothing) SELECT n FROM generate_series(1, 0) AS n;
END
$$;

COMMENT ON FUNCTION ringtable.commit_as_one IS 'Has Citus commit the caller''s transaction on all nodes or on none';

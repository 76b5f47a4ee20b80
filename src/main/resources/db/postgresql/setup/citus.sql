-- Citus: the table by which ringtable.publish and ringtable.settle have Citus commit in two phases. Run on the
-- coordinator by an administrator who may make schemas, when all nodes have been added, and before the broker's first
-- start. Every statement may be repeated. Give the broker's login, which must be there:
--
--   psql -v login=ringtable -f citus.sql
--
-- The table stays empty. Citus may move its shard to any node. The broker's own tables lie in the schema ringtable of
-- each node and are never distributed: make that schema with citus.enable_ddl_propagation = off, or let the broker.

CREATE SCHEMA IF NOT EXISTS ringtable_citus;

CREATE TABLE IF NOT EXISTS ringtable_citus.witness (nothing integer);

COMMENT ON TABLE ringtable_citus.witness IS
    'Always empty: what copies no rows into it has Citus commit in two phases. Dropping it stops all publishing by SQL';

SELECT create_distributed_table('ringtable_citus.witness', NULL, colocate_with := 'none')
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'ringtable_citus.witness'::regclass);

GRANT USAGE ON SCHEMA ringtable_citus TO :"login";
GRANT INSERT ON ringtable_citus.witness TO :"login";

-- Makes a database a node of Citus by itself, for benchmarks/run.sh beside prepared=benchmarks/citus.sql.
CREATE EXTENSION citus;
SELECT citus_set_coordinator_host('127.0.0.1', current_setting('port')::integer);
SELECT citus_set_node_property('127.0.0.1', current_setting('port')::integer, 'shouldhaveshards', true);
CREATE SCHEMA ringtable_citus;
CREATE TABLE ringtable_citus.witness (nothing integer);
SELECT create_distributed_table('ringtable_citus.witness', NULL, colocate_with := 'none');

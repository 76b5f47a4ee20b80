-- verify_citus: refuses a node of Citus on which a transaction could commit in part, or whose tables Citus has taken.
-- Called by:   PostgresqlCitus.verify, once per start.
-- Locks:       none.
-- Access path: pg_extension_name_index; where there is Citus, the whole of pg_dist_partition and pg_dist_object.
-- Changes:     nothing; raises RT017 with the reason, which begins with its code.
DO $$
DECLARE
    v_taken text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RETURN;
    END IF;
    SELECT string_agg(name, ', ' ORDER BY name)
    INTO v_taken
    FROM (SELECT 'table ringtable.' || c.relname AS name
          FROM pg_dist_partition AS p
          JOIN pg_class AS c ON c.oid = p.logicalrelid
          WHERE c.relnamespace = to_regnamespace('ringtable')
          UNION ALL
          SELECT 'schema ringtable'
          FROM pg_dist_object AS o
          WHERE o.classid = 'pg_namespace'::regclass AND o.objid = to_regnamespace('ringtable')
          UNION ALL
          SELECT 'function ' || f.oid::regprocedure
          FROM pg_dist_object AS o
          JOIN pg_proc AS f ON f.oid = o.objid
          WHERE o.classid = 'pg_proc'::regclass AND f.pronamespace = to_regnamespace('ringtable')) AS taken;
    IF v_taken IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'RT017',
            MESSAGE = format('RT-1231 Citus spreads what must lie on this node alone: %s. Undistribute the tables, or'
                ' give the broker a database in which they never were', v_taken);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('ringtable_citus.witness')) THEN
        RAISE EXCEPTION USING ERRCODE = 'RT017',
            MESSAGE = 'RT-1230 this database has Citus, and Citus does not know ringtable_citus.witness here, without'
                ' which a killed node loses messages of transactions that are committed on other nodes: add this node'
                ' to the coordinator, and run setup/citus.sql there';
    END IF;
    IF NOT has_table_privilege(to_regclass('ringtable_citus.witness'), 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'RT017',
            MESSAGE = format('RT-1232 %s may not insert into ringtable_citus.witness, as publishing by SQL does: run'
                ' setup/citus.sql with this login', current_user);
    END IF;
END
$$;

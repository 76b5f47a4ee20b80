-- Roles of least privilege for applications and people on the broker's database. Run by an administrator who may make
-- roles, once after the broker's first start and again after each upgrade; every statement may be repeated.
--
--   ringtable_publisher  EXECUTE on both forms of ringtable.publish: publishes to every address
--   ringtable_settler    EXECUTE on ringtable.settle: settles what it was given
--   ringtable_viewer     SELECT on the views, and on what the queries in operations read beside them: sees no message
--   ringtable_operator   SELECT on every table but delivery_key and setting: sees messages
--
-- None of them changes a table. A login needs the membership and nothing else: GRANT ringtable_publisher TO shop;

DO $$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY
        ARRAY['ringtable_publisher', 'ringtable_settler', 'ringtable_viewer', 'ringtable_operator']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
        END IF;
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA ringtable TO ringtable_publisher, ringtable_settler, ringtable_viewer, ringtable_operator;

GRANT EXECUTE ON FUNCTION ringtable.publish(text, text, jsonb), ringtable.publish(text, bytea, jsonb)
    TO ringtable_publisher;

GRANT EXECUTE ON FUNCTION ringtable.settle(text) TO ringtable_settler;

-- Two queries are for operators: explain_message and inbox_by_address read rows that have bodies. Of slots a viewer
-- reads the two columns that say how far the ring has come.
GRANT SELECT ON
    ringtable.addresses, ringtable.subscriptions, ringtable.messages, ringtable.owed,
    ringtable.shard, ringtable.lease, ringtable.node, ringtable.segment, ringtable.address, ringtable.subscription,
    ringtable.redelivery, ringtable.backlog_summary
    TO ringtable_viewer;
GRANT SELECT (segment, sequence) ON ringtable.slot TO ringtable_viewer;

-- A user who knows the key and may execute settle can settle anything; the settings have hashes of passwords.
GRANT SELECT ON ALL TABLES IN SCHEMA ringtable TO ringtable_operator;
REVOKE ALL ON ringtable.delivery_key, ringtable.setting FROM ringtable_operator;

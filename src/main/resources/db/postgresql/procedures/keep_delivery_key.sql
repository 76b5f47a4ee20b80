-- keep_delivery_key: answers the secret of the codes in delivery tags; lays down the proposed one if there is none.
-- Called by:   statements/keep_delivery_key.sql, once when a node begins to serve the shard.
-- Locks:       the row of the key, for a moment, where it is laid down.
-- Access path: delivery_key_pk.
-- Changes:     one row at the first start of all; nothing later.
DROP FUNCTION IF EXISTS ringtable.keep_delivery_key;

CREATE FUNCTION ringtable.keep_delivery_key(p_shard_id integer, p_proposed bytea) RETURNS bytea
LANGUAGE plpgsql
AS $$
DECLARE
    v_secret bytea;
BEGIN
    INSERT INTO ringtable.delivery_key (shard_id, secret) VALUES (p_shard_id, p_proposed)
    ON CONFLICT (shard_id) DO NOTHING;
    SELECT k.secret INTO STRICT v_secret FROM ringtable.delivery_key AS k WHERE k.shard_id = p_shard_id;
    RETURN v_secret;
END
$$;

COMMENT ON FUNCTION ringtable.keep_delivery_key IS
    'Answers the secret of the codes in delivery tags; lays one down if there is none';

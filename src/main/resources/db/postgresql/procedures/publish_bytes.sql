-- publish_bytes: publishes bytes inside the transaction of the caller; the form of publish that takes bytea.
-- Called by:   applications, who need EXECUTE on it and no right on any table.
-- Locks:       none beyond the new row.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row, as lay_in_inbox.
--
-- CREATE OR REPLACE keeps the rights that were granted on it. Its parameters never change.
CREATE OR REPLACE FUNCTION ringtable.publish(p_address text, p_body bytea, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'bytes', p_body, p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, bytea, jsonb) IS 'Publishes bytes inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.publish(text, bytea, jsonb) FROM PUBLIC;

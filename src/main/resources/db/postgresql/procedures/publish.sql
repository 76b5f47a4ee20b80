-- publish: publishes a text inside the transaction of the caller.
-- Called by:   applications, who need EXECUTE on it and no right on any table.
-- Locks:       none beyond the new row.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row, as lay_in_inbox.
--
-- Subscribers get the message once the transaction has committed, and never if it rolls back.
-- CREATE OR REPLACE keeps the rights that were granted on it. Its parameters never change.
CREATE OR REPLACE FUNCTION ringtable.publish(p_address text, p_body text, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ringtable.lay_in_inbox(p_address, 'text', convert_to(p_body, 'UTF8'), p_properties);
END
$$;

COMMENT ON FUNCTION ringtable.publish(text, text, jsonb) IS 'Publishes a text inside the caller''s transaction';

REVOKE ALL ON FUNCTION ringtable.publish(text, text, jsonb) FROM PUBLIC;

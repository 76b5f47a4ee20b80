-- tag_number: what up to ten digits of base64url stand for, the highest first: six bits each.
-- Called by:   settle.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
DROP FUNCTION IF EXISTS ringtable.tag_number;

CREATE FUNCTION ringtable.tag_number(p_digits text) RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT ('x' || encode(
               substr(decode(lpad(translate(p_digits, '-_', '+/'), 12, 'A'), 'base64'), 2),
               'hex'))::bit(64)::bigint
$$;

COMMENT ON FUNCTION ringtable.tag_number IS 'Reads a number of a delivery tag';

-- ms: instants as the broker counts them: milliseconds since 1970, 0 for none.
-- Called by:   statements and procedures that answer instants.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
--
-- Exact: a double holds milliseconds to the microsecond.
DROP FUNCTION IF EXISTS ringtable.ms;

CREATE FUNCTION ringtable.ms(p_instant timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((date_part('epoch', p_instant) * 1000)::bigint, 0);

COMMENT ON FUNCTION ringtable.ms IS 'Milliseconds since 1970-01-01 UTC; 0 for NULL';

-- delivery_code: 60 bits that only a broker of this ring can have made.
-- Called by:   settle; nobody without the right to read the secret gets an answer.
-- Locks:       none.
-- Access path: delivery_key_pk.
-- Changes:     nothing; NULL if the ring of the subscription has no key yet, or is none.
--
-- DeliveryCodes in the broker makes the same.
DROP FUNCTION IF EXISTS ringtable.delivery_code;

CREATE FUNCTION ringtable.delivery_code(p_epoch bigint, p_subscription_id bigint, p_sequence bigint) RETURNS bigint
LANGUAGE sql
STABLE
AS $$
    SELECT ('x' || encode(
               substr(sha256(k.secret || int8send(p_epoch) || int8send(p_subscription_id) || int8send(p_sequence)),
                   1, 8),
               'hex'))::bit(64)::bigint & 1152921504606846975
    FROM ringtable.delivery_key AS k
    WHERE k.shard_id = p_subscription_id >> 40 -- the shard that has given the id
$$;

COMMENT ON FUNCTION ringtable.delivery_code IS
    'Makes the code of a delivery tag; for settle, and for nobody without the right to read the secret';

-- slots_reversed: slots that follow one another lie as far apart as they can, by the reversed bits of their numbers.
-- Source: Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": "SQL Server and Reverse Key Indexes".
CREATE FUNCTION slot_key(slot bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
    SELECT reverse(slot::bit(32)::text)::bit(32)::bigint;
$$;

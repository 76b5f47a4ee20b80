-- slots_in_order: slots that follow one another lie in one page.
-- Source: Kejser, "Table Pattern: Database Message Queues".
CREATE FUNCTION slot_key(slot bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
    SELECT slot;
$$;

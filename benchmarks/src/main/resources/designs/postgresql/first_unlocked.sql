-- first_unlocked: a popper passes over the messages that others hold: the naive queue's best case.
-- Source: not in the articles; what users of PostgreSQL do.
CREATE FUNCTION first_message(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT message_id FROM queue WHERE subscriber = its_subscriber
        ORDER BY message_id LIMIT 1 FOR UPDATE SKIP LOCKED);
END $$;

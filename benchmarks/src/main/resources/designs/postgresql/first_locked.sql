-- first_locked: a popper waits for the one that holds the first message.
-- Source: Kejser, "Table Pattern: Database Message Queues": pop naive, whose DELETE locks the first row.
CREATE FUNCTION first_message(its_subscriber integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT message_id FROM queue WHERE subscriber = its_subscriber
        ORDER BY message_id LIMIT 1 FOR UPDATE);
END $$;

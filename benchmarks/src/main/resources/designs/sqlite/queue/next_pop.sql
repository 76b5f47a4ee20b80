-- next_pop: finds the first message. The transaction holds the whole file, so nobody else takes it meanwhile.
-- Parameter: subscriber.
SELECT message_id FROM queue WHERE subscriber = ?1 ORDER BY message_id LIMIT 1;

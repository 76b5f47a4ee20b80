-- pop_one: deletes the message.
-- Parameters: number, subscriber, ring's size.
DELETE FROM queue WHERE subscriber = ?2 AND message_id = ?1 RETURNING message_id, message;

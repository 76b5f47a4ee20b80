-- popped: notes at a session's end how many messages it has popped.
INSERT INTO pop_stats (session, subscriber, messages) VALUES (?1, ?2, ?3);

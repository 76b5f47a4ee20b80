-- pushed: notes at a session's end how many messages it has pushed.
INSERT INTO push_stats (session, messages) VALUES (?1, ?2);

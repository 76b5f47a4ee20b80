-- call_accounts: what was pushed, what was popped, and what is still there.
SELECT
    (SELECT coalesce(sum(messages), 0) FROM push_stats),
    (SELECT coalesce(sum(messages), 0) FROM pop_stats),
    (SELECT coalesce(messages, 0) FROM owed);

-- call_accounts: what was pushed, what was popped, and what is still there.
SELECT
    (SELECT COALESCE(SUM(messages), 0) FROM dbo.push_stats),
    (SELECT COALESCE(SUM(messages), 0) FROM dbo.pop_stats),
    (SELECT messages FROM dbo.owed);

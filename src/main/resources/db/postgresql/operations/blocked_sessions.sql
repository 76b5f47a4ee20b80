-- blocked_sessions: sessions that wait for a lock, and who holds it.
-- Called by:   people with pg_monitor, on a running broker's database.
-- Locks:       none; reads the server's own lists.
-- Access path: pg_stat_activity.
-- Changes:     nothing.
SELECT a.pid,
       a.application_name,
       a.state,
       clock_timestamp() - a.query_start AS waiting,
       left(a.query, 80) AS query,
       b.pid AS blocked_by,
       b.application_name AS blocker,
       b.state AS blocker_state,
       clock_timestamp() - b.xact_start AS blocker_open_for,
       left(b.query, 80) AS blocker_query
FROM pg_stat_activity AS a
CROSS JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS p (pid)
JOIN pg_stat_activity AS b ON b.pid = p.pid
WHERE a.datname = current_database()
ORDER BY waiting DESC;

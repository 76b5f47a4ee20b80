-- waits: what the sessions at work wait for at this moment; a sample, which tells more the more often it is taken.
-- Called by:   people with pg_monitor, again and again: (cat waits.sql; echo '\watch 0.1') | psql
-- Locks:       none; reads the server's own lists.
-- Access path: pg_stat_activity.
-- Changes:     nothing.
-- Look for:    IO WALSync of ringtable: as expected, once per flush. LWLock WALWrite: sessions queue for the log. Lock:
--              see blocked_sessions. LWLock BufferContent: many sessions write one page, which is none of the ring.
--              IPC SyncRep: the synchronous standby is the bound. IO DataFileRead: what is read no longer fits memory.
--              Client ClientRead in a transaction: somebody's program thinks while it holds its locks.
SELECT backend_type,
       application_name,
       state,
       CASE WHEN backend_type IS NULL THEN 'hidden' ELSE coalesce(wait_event_type, 'CPU') END AS waits_for,
       CASE WHEN backend_type IS NULL THEN 'ask with pg_monitor' ELSE coalesce(wait_event, 'runs') END AS wait,
       count(*) AS sessions,
       max(clock_timestamp() - coalesce(query_start, backend_start)) AS longest
FROM pg_stat_activity
WHERE (datname = current_database() OR datname IS NULL)
  AND pid <> pg_backend_pid()
  AND state IS DISTINCT FROM 'idle'
  AND wait_event_type IS DISTINCT FROM 'Activity' -- a process of the server that has nothing to do
GROUP BY backend_type, application_name, state, wait_event_type, wait_event
ORDER BY sessions DESC, longest DESC;

-- long_transactions: transactions that keep old row versions alive; the backlog and the owner row grow meanwhile.
-- Called by:   people with pg_monitor, on a running broker's database.
-- Locks:       none; reads the server's own lists.
-- Access path: pg_stat_activity.
-- Changes:     nothing.
SELECT pid,
       application_name,
       client_addr,
       state,
       clock_timestamp() - xact_start AS open_for,
       age(backend_xmin) AS transactions_since,
       left(query, 80) AS query
FROM pg_stat_activity
WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
ORDER BY xact_start;

-- events: what the event session of setup/sqlserver-only/events_start.sql has seen last, counted; no rows without it.
-- Called by:   people with VIEW SERVER STATE; sqlcmd needs -I (QUOTED_IDENTIFIER), the other clients have it on.
-- Locks:       none; reads the memory of the session.
-- Access path: sys.dm_xe_sessions, sys.dm_xe_session_targets.
-- Changes:     nothing; setup/sqlserver-only/events_stop.sql ends the session.
-- Look for:    latch_suspend_end by latch_class (BUFFER is a page), duration in microseconds. page_split in our
--              database: no flush splits a page. log_flush_complete: how many between first_at and last_at, against
--              the messages of that time. Checkpoints at the time of slow flushes. pmo_promotion: see memory_objects.
SELECT x.event,
       x.latch_class,
       x.latch_mode,
       COALESCE(DB_NAME(x.database_id), '') AS database_name,
       COUNT(*) AS times,
       SUM(x.duration) AS total_duration,
       MAX(x.duration) AS longest_duration,
       MIN(x.happened_at) AS first_at,
       MAX(x.happened_at) AS last_at
FROM (SELECT CAST(t.target_data AS XML) AS kept
      FROM sys.dm_xe_sessions AS s
      JOIN sys.dm_xe_session_targets AS t ON t.event_session_address = s.address
      WHERE s.name = N'ringtable_events' AND t.target_name = N'ring_buffer') AS r
CROSS APPLY r.kept.nodes('/RingBufferTarget/event') AS e (node)
CROSS APPLY (SELECT e.node.value('@name', 'NVARCHAR(60)') AS event,
                    e.node.value('@timestamp', 'DATETIME2(3)') AS happened_at,
                    e.node.value('(data[@name="class"]/text)[1]', 'NVARCHAR(60)') AS latch_class,
                    e.node.value('(data[@name="mode"]/text)[1]', 'NVARCHAR(10)') AS latch_mode,
                    e.node.value('(data[@name="database_id"]/value)[1]', 'INT') AS database_id,
                    e.node.value('(data[@name="duration"]/value)[1]', 'BIGINT') AS duration) AS x
GROUP BY x.event, x.latch_class, x.latch_mode, x.database_id
ORDER BY COUNT(*) DESC;

-- events_start: begins to record latch waits, page splits, log flushes, checkpoints and split memory objects.
-- Called by:   an administrator with ALTER ANY EVENT SESSION who diagnoses something; it is no step of the set-up.
-- Locks:       none.
-- Access path: none.
-- Changes:     makes the event session ringtable_events of the server, and starts it. It costs 4 MB and some CPU.
--
-- Read it with operations/events.sql. Drop it with events_stop.sql: THE SESSION STAYS UNTIL SOMEBODY DROPS IT, and
-- records again when it is started. A restart of the server ends the recording and keeps the definition.
-- It records every database and keeps the last 100 events of each kind. On Azure SQL Database write ON DATABASE.
CREATE EVENT SESSION ringtable_events ON SERVER
    ADD EVENT sqlserver.latch_suspend_end (WHERE duration > 0),
    ADD EVENT sqlserver.page_split,
    ADD EVENT sqlserver.log_flush_complete,
    ADD EVENT sqlserver.checkpoint_begin,
    ADD EVENT sqlserver.checkpoint_end,
    ADD EVENT sqlos.pmo_promotion
    ADD TARGET package0.ring_buffer (SET max_memory = 2048, occurrence_number = 100)
    WITH (MAX_MEMORY = 2048 KB, EVENT_RETENTION_MODE = ALLOW_MULTIPLE_EVENT_LOSS, MAX_DISPATCH_LATENCY = 1 SECONDS,
          STARTUP_STATE = OFF);
GO
ALTER EVENT SESSION ringtable_events ON SERVER STATE = START;
GO

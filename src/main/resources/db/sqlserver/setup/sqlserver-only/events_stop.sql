-- events_stop: ends the recording that events_start.sql began.
-- Called by:   an administrator with ALTER ANY EVENT SESSION.
-- Locks:       none.
-- Access path: none.
-- Changes:     drops the event session ringtable_events, with what it has recorded.
DROP EVENT SESSION ringtable_events ON SERVER;
GO

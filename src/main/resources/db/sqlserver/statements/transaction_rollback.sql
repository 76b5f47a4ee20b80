-- transaction_rollback: ends whatever a verb that failed may have left open.
-- Called by:   SqlserverSession.rollback.
-- Locks:       gives up all that the session holds.
-- Access path: none.
-- Changes:     nothing.
IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;

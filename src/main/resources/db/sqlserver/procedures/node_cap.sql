-- node_cap: lets nodes that were seen in the future be seen now: the clock of the server was set back.
-- Called by:   statements/node_cap.sql, when such a row was read.
-- Locks:       exclusive on the rows that change.
-- Access path: node_pk, whole: a row for each node.
-- Changes:     the rows with an instant in the future; none if their nodes have written them anew.
DROP PROCEDURE IF EXISTS ringtable.node_cap;
GO

CREATE PROCEDURE ringtable.node_cap
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    UPDATE ringtable.node SET seen_at = SYSUTCDATETIME() WHERE seen_at > SYSUTCDATETIME();
END;
GO

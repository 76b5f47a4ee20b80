-- node_forget: removes the row of a process that stops, or was not seen for a day.
-- Called by:   statements/node_forget.sql, on its own connection.
-- Locks:       exclusive on the row of the node.
-- Access path: node_pk.
-- Changes:     one row, or none: another process has written it since.
DROP PROCEDURE IF EXISTS ringtable.node_forget;
GO

CREATE PROCEDURE ringtable.node_forget
    @node_id NVARCHAR(100),
    @run_id VARCHAR(36)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DELETE FROM ringtable.node WHERE node_id = @node_id AND run_id = @run_id;
END;
GO

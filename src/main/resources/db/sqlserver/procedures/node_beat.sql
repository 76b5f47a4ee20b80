-- node_beat: says that the node is there, and what it does.
-- Called by:   statements/node_beat.sql, by timer, on a connection of its own.
-- Locks:       exclusive on the row of the node; waits for no flush and no renewal.
-- Access path: node_pk.
-- Changes:     exactly one row. Two processes with one new id: the second one fails, and beats again.
DROP PROCEDURE IF EXISTS ringtable.node_beat;
GO

CREATE PROCEDURE ringtable.node_beat
    @node_id NVARCHAR(100),
    @run_id VARCHAR(36),
    @description NVARCHAR(400),
    @version NVARCHAR(100),
    @state VARCHAR(20),
    @url NVARCHAR(1000),
    @lease_ms BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    UPDATE ringtable.node
    SET run_id = @run_id, description = @description, version = @version, state = @state, url = @url,
        lease_ms = @lease_ms, seen_at = SYSUTCDATETIME()
    WHERE node_id = @node_id;
    IF @@ROWCOUNT = 0
    BEGIN
        INSERT INTO ringtable.node (node_id, run_id, description, version, state, url, lease_ms, seen_at)
        VALUES (@node_id, @run_id, @description, @version, @state, @url, @lease_ms, SYSUTCDATETIME());
    END;
END;
GO

-- take_over_row: lays one message from the inbox of another database into this one.
-- Called by:   statements/take_over_row.sql, in the transaction of take_over, in the order of ids.
-- Locks:       one key of the inbox, exclusive until that transaction ends; never a page.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
DROP PROCEDURE IF EXISTS ringtable.take_over_row;
GO

CREATE PROCEDURE ringtable.take_over_row
    @shard_id INT,
    @address NVARCHAR(400),
    @kind VARCHAR(5),
    @body_text NVARCHAR(MAX),
    @body VARBINARY(MAX),
    @properties NVARCHAR(MAX),
    @age_s INT,  -- how long ago it was published: whole seconds,
    @age_ms INT, -- and what is left of them
    @published_by NVARCHAR(128)
AS
BEGIN
    SET NOCOUNT ON;
    INSERT INTO ringtable.inbox WITH (ROWLOCK) (shard_id, address, kind, session_id, body_text, body, properties,
        published_at, published_by)
    VALUES (@shard_id, @address, @kind, @@SPID, @body_text, @body, @properties,
        DATEADD(MILLISECOND, -@age_ms, DATEADD(SECOND, -@age_s, SYSUTCDATETIME())), @published_by);
END;
GO

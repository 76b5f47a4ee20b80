-- read_directory: what has changed in the directory since a version, or all of it after a row was removed.
-- Called by:   statements/read_directory.sql, at a start with several shards, and after another node's change.
-- Locks:       none that outlasts a row.
-- Access path: directory_pk; the whole of home_pk.
-- Changes:     nothing.
--
-- The version is read first. A change that commits in between is in the answer, and in that to the next question.
DROP PROCEDURE IF EXISTS ringtable.read_directory;
GO

CREATE PROCEDURE ringtable.read_directory
    @since BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @version BIGINT;
    DECLARE @removed_at BIGINT;
    DECLARE @whole INT;
    DECLARE @from BIGINT;
    DECLARE @one TABLE (directory_id SMALLINT NOT NULL PRIMARY KEY);

    SELECT @version = d.version, @removed_at = d.removed_at FROM ringtable.directory AS d WHERE d.directory_id = 0;
    SET @whole = CASE WHEN @since < @removed_at THEN 1 ELSE 0 END;
    SET @from = CASE WHEN @whole = 1 THEN 0 ELSE @since END;
    INSERT INTO @one (directory_id) VALUES (0);
    SELECT @version AS directory_version, @whole AS is_whole, h.scope, h.name, h.part, h.kind, h.shard_id, h.owner,
           h.state, h.version, h.next_shard_id
    FROM @one AS o
    LEFT JOIN ringtable.home AS h ON h.version > @from;
END;
GO

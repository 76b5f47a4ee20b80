-- alter_directory: changes rows of the directory, all of them or none, if each is still as its caller knows it.
-- Called by:   statements/alter_directory.sql, commit included.
-- Locks:       the row of directory first, exclusive until commit: changes take turns; then the keys of home.
-- Access path: directory_pk; home_pk, one seek per change.
-- Changes:     each row that is named, and the version; nothing if one of them has another version.
--
-- An expected version of 0 says that there is no such row. The state 'gone' removes a row. A broker that knows of no
-- moves names no next shard. The answer has every row of
-- the names in question as it is now, so a caller that came too late knows why.
DROP PROCEDURE IF EXISTS ringtable.alter_directory;
GO

CREATE PROCEDURE ringtable.alter_directory
    @changes NVARCHAR(MAX) -- a JSON array of objects with the columns of @list, at most 2,000
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @list TABLE (
        scope    VARCHAR(12)   COLLATE Latin1_General_100_BIN2 NOT NULL,
        name     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
        part     INT           NOT NULL,
        kind     VARCHAR(5)    NOT NULL,
        shard_id INT           NOT NULL,
        owner    NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL,
        state    VARCHAR(5)    NOT NULL, -- here, going or gone
        expected BIGINT        NOT NULL, -- version that the caller knows; 0 = no row
        next_shard_id INT      NOT NULL,
        PRIMARY KEY (scope, name, part)
    );
    DECLARE @message NVARCHAR(2048);
    DECLARE @version BIGINT;
    DECLARE @named INT;
    DECLARE @found INT;
    DECLARE @removed INT;
    DECLARE @changed INT;
    DECLARE @applied INT;

    INSERT INTO @list (scope, name, part, kind, shard_id, owner, state, expected, next_shard_id)
    SELECT c.scope, ringtable.unescaped(c.name), c.part, c.kind, c.shard_id, ringtable.unescaped(c.owner), c.state,
           c.expected, COALESCE(c.next_shard_id, -1)
    FROM OPENJSON(@changes) WITH (
        scope    VARCHAR(12),
        name     NVARCHAR(MAX),
        part     INT,
        kind     VARCHAR(5),
        shard_id INT,
        owner    NVARCHAR(MAX),
        state    VARCHAR(5),
        expected BIGINT,
        next_shard_id INT
    ) AS c;
    SELECT @named = COUNT(*) FROM @list AS c;
    SET @applied = 0;

    BEGIN TRANSACTION;
    UPDATE ringtable.directory SET version = directory.version WHERE directory_id = 0;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        THROW 50016, 'directory: its row is gone', 1;
    END;
    SELECT @version = d.version FROM ringtable.directory AS d WHERE d.directory_id = 0;
    -- 'a' = 'a ' here: the lengths keep the second from being taken for the first, and the key refuses it.
    SELECT @found = COUNT(*)
    FROM @list AS c
    LEFT JOIN ringtable.home AS h
        ON h.scope = c.scope AND h.name = c.name AND h.part = c.part AND DATALENGTH(h.name) = DATALENGTH(c.name)
    WHERE COALESCE(h.version, 0) = c.expected;
    IF @found = @named
    BEGIN
        SET @applied = 1;
        SET @version = @version + 1;
        DELETE h
        FROM @list AS c
        JOIN ringtable.home AS h ON h.scope = c.scope AND h.name = c.name AND h.part = c.part
        WHERE c.state = 'gone';
        SET @removed = @@ROWCOUNT;
        UPDATE h
        SET kind = c.kind, shard_id = c.shard_id, owner = c.owner, state = c.state, version = @version,
            next_shard_id = c.next_shard_id
        FROM @list AS c
        JOIN ringtable.home AS h ON h.scope = c.scope AND h.name = c.name AND h.part = c.part
        WHERE c.state <> 'gone' AND c.expected > 0;
        SET @changed = @@ROWCOUNT;
        INSERT INTO ringtable.home (scope, name, part, kind, shard_id, owner, state, version,
                                    next_shard_id)
        SELECT c.scope, c.name, c.part, c.kind, c.shard_id, c.owner, c.state, @version, c.next_shard_id
        FROM @list AS c
        WHERE c.state <> 'gone' AND c.expected = 0;
        SET @changed = @changed + @@ROWCOUNT;
        IF @removed + @changed <> @named
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('home: ', @removed + @changed, ' rows changed where ', @named, ' must');
            THROW 50016, @message, 1;
        END;
        UPDATE ringtable.directory
        SET version = @version, removed_at = CASE WHEN @removed > 0 THEN @version ELSE directory.removed_at END
        WHERE directory_id = 0;
    END;
    COMMIT TRANSACTION;

    SELECT @applied AS is_applied, @version AS directory_version, h.scope, h.name, h.part, h.kind, h.shard_id, h.owner,
           h.state, h.version, h.next_shard_id
    FROM (SELECT DISTINCT c.scope, c.name FROM @list AS c) AS n
    LEFT JOIN ringtable.home AS h
        ON h.scope = n.scope AND h.name = n.name AND DATALENGTH(h.name) = DATALENGTH(n.name);
END;
GO

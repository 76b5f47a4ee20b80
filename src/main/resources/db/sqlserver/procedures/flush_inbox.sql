-- flush_inbox: makes a batch durable that has something of the inbox in it, and deletes those rows, or neither.
-- Called by:   statements/flush_inbox.sql, for such a batch in place of flush; flush_once.
-- Locks:       as flush, which comes first; then at most 2,000 keys of the inbox, and no page.
-- Access path: as flush; inbox_pk and inbox_settlement_pk, one seek per row.
-- Changes:     as flush, and each row of the inbox that is named; else nothing.
--
-- Apart from flush, which stays as short as it is for everybody else. A former owner deletes nothing. Callers would
-- have to wait for a page. Where nobody owes any of the messages no number tells whether an earlier try has committed,
-- and it does no harm to find them gone.
DROP PROCEDURE IF EXISTS ringtable.flush_inbox;
GO

CREATE PROCEDURE ringtable.flush_inbox
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @dispatch_bound BIGINT,
    @rows_sent INT,
    @claims ringtable.message_list READONLY,
    @settlements ringtable.settlement_list READONLY,
    @backlog_settlements ringtable.backlog_settlement_list READONLY,
    @redeliveries ringtable.redelivery_list READONLY,
    @dispatched ringtable.dispatched_list READONLY,
    @inbox_ids NVARCHAR(MAX) -- a JSON array, none twice
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @none TABLE (id INT NOT NULL); -- stays empty, see README.md
    DECLARE @message NVARCHAR(2048);
    DECLARE @first BIGINT;
    DECLARE @named INT;
    DECLARE @deleted INT;
    DECLARE @collected TABLE (inbox_id BIGINT NOT NULL PRIMARY KEY);

    INSERT INTO @collected (inbox_id) SELECT j.inbox_id FROM OPENJSON(@inbox_ids) WITH (inbox_id BIGINT '$') AS j;
    SELECT @named = COUNT(*), @first = MIN(n.inbox_id) FROM @collected AS n;
    BEGIN TRANSACTION;
    -- Its own COMMIT only counts down: what it did becomes durable with the one below, or not at all.
    EXECUTE ringtable.flush @shard_id, @epoch, @gate, @dispatch_bound, @rows_sent, @claims, @settlements,
        @backlog_settlements, @redeliveries, @dispatched;
    -- From the list, key by key: a range would lock the rows of open transactions that lie between, and wait for them.
    DELETE i
    FROM @collected AS n
    JOIN ringtable.inbox AS i WITH (ROWLOCK, FORCESEEK) ON i.shard_id = @shard_id AND i.inbox_id = n.inbox_id
    WHERE n.inbox_id > 0
    OPTION (LOOP JOIN, FORCE ORDER);
    SET @deleted = @@ROWCOUNT;
    IF @first < 0
    BEGIN
        DELETE s
        FROM @collected AS n
        JOIN ringtable.inbox_settlement AS s WITH (ROWLOCK, INDEX (inbox_settlement_pk), FORCESEEK)
            ON s.shard_id = @shard_id AND s.inbox_id = n.inbox_id
        WHERE n.inbox_id < 0
        OPTION (LOOP JOIN, FORCE ORDER);
        SET @deleted = @deleted + @@ROWCOUNT;
    END;
    IF @deleted <> @named AND EXISTS (SELECT 1 FROM @claims WHERE NOT EXISTS (SELECT 1 FROM @none))
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('inbox: ', @deleted, ' rows deleted where ', @named, ' must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO

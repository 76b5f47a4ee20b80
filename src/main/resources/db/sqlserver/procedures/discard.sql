-- discard: deletes backlog rows of an address that nobody owes any more.
-- Called by:   statements/discard.sql, commit included, a stretch at a time.
-- Locks:       the owner row first, exclusive until commit; then at most 1,000 rows by one statement.
-- Access path: backlog_pk and backlog_settlement_pk, ranges; subscription_bit_is_held_once; backlog_expiring, _delayed.
-- Changes:     the rows that are over, and the summary. Answers the summary, or no row if nothing is left.
--
-- Looks at @from_sequence <= sequence < @to_sequence; the ledger of a block goes with its last row. 1,000 keys and
-- 1,000 pages of each index lie below the 5,000 at which locks are escalated.
DROP PROCEDURE IF EXISTS ringtable.discard;
GO

CREATE PROCEDURE ringtable.discard
    @shard_id INT,
    @epoch BIGINT,
    @address_id BIGINT,
    @from_sequence BIGINT,
    @to_sequence BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @over_count BIGINT;
    DECLARE @over_bytes BIGINT;
    DECLARE @deleted BIGINT;
    DECLARE @after BIGINT;
    DECLARE @last BIGINT;
    DECLARE @block BIGINT;
    DECLARE @left BIGINT;
    DECLARE @first_sequence BIGINT;
    DECLARE @last_sequence BIGINT;
    DECLARE @first_expires_at DATETIME2(3);
    DECLARE @first_deliver_at DATETIME2(3);
    DECLARE @over TABLE (
        sequence   BIGINT NOT NULL PRIMARY KEY,
        body_bytes INT    NOT NULL
    );

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET gate = shard.gate WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;

    -- With the owner row held nobody else writes: what is over now stays so.
    INSERT INTO @over (sequence, body_bytes)
    SELECT m.sequence, m.body_bytes
    FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence >= @from_sequence
      AND m.sequence < @to_sequence
      AND NOT EXISTS (SELECT 1
                      FROM ringtable.subscription AS u
                      LEFT JOIN ringtable.backlog_settlement AS l
                          ON l.shard_id = @shard_id AND l.address_id = @address_id AND l.block = m.sequence / 1024
                             AND l.[bit] = u.[bit]
                      WHERE u.shard_id = @shard_id
                        AND u.address_id = @address_id
                        AND u.group_no = m.group_no
                        AND u.from_sequence <= m.sequence
                        AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
                        AND (l.settled IS NULL
                             OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                                & POWER(2, CAST(m.sequence % 8 AS INT)) = 0))
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
    SELECT @over_count = COUNT(*), @over_bytes = COALESCE(SUM(CAST(o.body_bytes AS BIGINT)), 0) FROM @over AS o;

    IF @over_count > 0
    BEGIN
        SET @deleted = 0;
        SET @after = @from_sequence - 1;
        SELECT @last = MAX(o.sequence) FROM @over AS o;
        WHILE @after < @last
        BEGIN
            SELECT @block = MAX(p.sequence)
            FROM (SELECT TOP (1000) o.sequence FROM @over AS o WHERE o.sequence > @after ORDER BY o.sequence) AS p;
            -- From the list, by key: a range would be looked for in the narrowest index, through the whole address.
            DELETE m
            FROM @over AS o
            JOIN ringtable.backlog AS m WITH (INDEX (backlog_pk), FORCESEEK)
                ON m.shard_id = @shard_id AND m.address_id = @address_id AND m.sequence = o.sequence
            WHERE o.sequence > @after AND o.sequence <= @block
            OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
            SET @deleted = @deleted + @@ROWCOUNT;
            SET @after = @block;
        END;
        IF @deleted <> @over_count
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('backlog: ', @deleted, ' rows deleted where ', @over_count, ' must');
            THROW 50016, @message, 1;
        END;

        -- The ledger of a block goes with the last row of the block, never before.
        SELECT @block = MIN(l.block)
        FROM ringtable.backlog_settlement AS l
        WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block >= @from_sequence / 1024;
        WHILE @block <= @last / 1024
        BEGIN
            IF NOT EXISTS (SELECT 1
                           FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
                           WHERE m.shard_id = @shard_id AND m.address_id = @address_id
                             AND m.sequence >= @block * 1024 AND m.sequence < @block * 1024 + 1024)
                DELETE FROM ringtable.backlog_settlement
                WHERE shard_id = @shard_id AND address_id = @address_id AND block = @block;
            SET @after = @block;
            SELECT @block = MIN(l.block)
            FROM ringtable.backlog_settlement AS l
            WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block > @after;
        END;

        SELECT @left = b.messages - @over_count
        FROM ringtable.backlog_summary AS b
        WHERE b.shard_id = @shard_id AND b.address_id = @address_id AND b.bytes >= @over_bytes;
        IF @left IS NULL OR @left < 0
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT(@over_count, ' messages and ', @over_bytes, ' bytes in the backlog of address ',
                @address_id, ' are over, its summary has fewer');
            THROW 50016, @message, 1;
        END;
        IF @left = 0
            DELETE FROM ringtable.backlog_summary WHERE shard_id = @shard_id AND address_id = @address_id;
        ELSE
        BEGIN
            -- TOP and not MIN: a plan made for an address of one message would read all for the smallest.
            SELECT TOP (1) @first_sequence = m.sequence
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id
            ORDER BY m.sequence;
            SELECT TOP (1) @last_sequence = m.sequence
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id
            ORDER BY m.sequence DESC;
            SELECT TOP (1) @first_expires_at = m.expires_at
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.expires_at IS NOT NULL
            ORDER BY m.expires_at;
            SELECT TOP (1) @first_deliver_at = m.deliver_at
            FROM ringtable.backlog AS m
            WHERE m.shard_id = @shard_id AND m.address_id = @address_id AND m.deliver_at IS NOT NULL
            ORDER BY m.deliver_at;
            UPDATE ringtable.backlog_summary
            SET messages = @left,
                bytes = backlog_summary.bytes - @over_bytes,
                first_sequence = @first_sequence,
                last_sequence = @last_sequence,
                first_expires_at = @first_expires_at,
                first_deliver_at = @first_deliver_at
            WHERE shard_id = @shard_id AND address_id = @address_id;
        END;
    END;
    COMMIT TRANSACTION;

    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0)
               AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0)
               AS first_deliver_at
    FROM ringtable.backlog_summary AS b
    WHERE b.shard_id = @shard_id AND b.address_id = @address_id;
END;
GO

-- reclaim: moves what live subscriptions still owe in [@gate, @new_gate) to the backlog and raises the gate.
-- Called by:   statements/reclaim.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the rows of one block of 1,024 sequences at a time.
-- Access path: slot_pk, the range of the block; subscription_bit_is_held_once; settlement_pk.
-- Changes:     one row of backlog per owed message, as many as @owed_expected, else nothing. Answers what grew.
--
-- Drops the ledger of the passed blocks. No statement comes near the 5,000 locks at which they are escalated: 1,024
-- keys and at most 1,024 pages of backlog, as many of each of its three indexes, at most 1,024 summaries, 63 ledger
-- rows. Answers the summaries of the addresses whose backlog grew.
DROP PROCEDURE IF EXISTS ringtable.reclaim;
GO

CREATE PROCEDURE ringtable.reclaim
    @shard_id INT,
    @epoch BIGINT,
    @gate BIGINT,
    @new_gate BIGINT,
    @owed_expected BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @held_epoch BIGINT;
    DECLARE @held_gate BIGINT;
    DECLARE @capacity BIGINT;
    DECLARE @first BIGINT;
    DECLARE @block BIGINT;
    DECLARE @from_slot INT;
    DECLARE @to_slot INT;
    DECLARE @rows INT;
    DECLARE @references INT;
    DECLARE @full INT;
    DECLARE @owed_here INT;
    DECLARE @changed INT;
    DECLARE @moved BIGINT;
    DECLARE @all_settled BINARY(128);
    DECLARE @owed TABLE (
        slot            INT     NOT NULL PRIMARY KEY,
        reference_count TINYINT NOT NULL,
        pending         BIGINT  NOT NULL
    );
    DECLARE @gained TABLE (
        address_id       BIGINT       NOT NULL PRIMARY KEY,
        first_sequence   BIGINT       NOT NULL,
        last_sequence    BIGINT       NOT NULL,
        messages         BIGINT       NOT NULL,
        bytes            BIGINT       NOT NULL,
        first_expires_at DATETIME2(3) NULL,
        first_deliver_at DATETIME2(3) NULL
    );
    DECLARE @grown TABLE (address_id BIGINT NOT NULL PRIMARY KEY);

    -- Before the UPDATE, whose constraint would refuse it as if a row were at fault.
    IF @new_gate <= @gate OR @new_gate % 1024 <> 0
    BEGIN
        SET @message = CONCAT('gate of shard ', @shard_id, ' cannot be raised from ', @gate, ' to ', @new_gate,
            ': whole blocks');
        THROW 50016, @message, 1;
    END;
    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET gate = @new_gate WHERE shard_id = @shard_id AND epoch = @epoch AND gate = @gate;
    IF @@ROWCOUNT <> 1
    BEGIN
        SELECT @held_epoch = h.epoch, @held_gate = h.gate FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
        ROLLBACK TRANSACTION;
        IF @held_epoch = @epoch
        BEGIN
            SET @message = CONCAT('gate ', @gate, ' is not the gate ', @held_gate, ' of shard ', @shard_id);
            THROW 50016, @message, 1;
        END;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch ', @held_epoch, ' of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    SELECT @capacity = h.capacity FROM ringtable.shard AS h WHERE h.shard_id = @shard_id;
    IF @new_gate > @gate + @capacity / 8
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('gate of shard ', @shard_id, ' cannot be raised from ', @gate, ' to ', @new_gate,
            ': at most ', @capacity / 8, ' sequences');
        THROW 50016, @message, 1;
    END;

    SET @all_settled = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
        + 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF;
    SET @moved = 0;
    SET @first = @gate;
    WHILE @first < @new_gate
    BEGIN
        SET @block = @first / 1024;
        SET @from_slot = CAST(@first % @capacity AS INT);
        SET @to_slot = @from_slot + 1023;
        SELECT @rows = COUNT(*), @references = COALESCE(MAX(s.reference_count), 0)
        FROM ringtable.slot AS s
        WHERE s.shard_id = @shard_id AND s.slot >= @from_slot AND s.slot <= @to_slot
          AND s.sequence = @first + s.slot - @from_slot
        OPTION (KEEPFIXED PLAN);
        IF @rows <> 1024
        BEGIN
            ROLLBACK TRANSACTION;
            SET @message = CONCAT('slots ', @from_slot, ' to ', @to_slot, ' hold ', @rows, ' of the sequences ',
                @first, ' to ', @first + 1023);
            THROW 50016, @message, 1;
        END;
        -- Who settled each of 1,024 sequences owed each of them. Where as many did as any message has references,
        -- nobody is left who owes, which is the rule with queues; else message by message.
        SELECT @full = COUNT(*)
        FROM ringtable.settlement AS l
        WHERE l.shard_id = @shard_id AND l.block = @block AND l.settled = @all_settled;
        IF @full < @references
        BEGIN
            DELETE FROM @owed;
            INSERT INTO @owed (slot, reference_count, pending)
            SELECT m.slot, COUNT(*), SUM(POWER(CAST(2 AS BIGINT), u.[bit]))
            FROM ringtable.slot AS m
            JOIN ringtable.subscription AS u
                ON u.shard_id = m.shard_id AND u.address_id = m.address_id AND u.group_no = m.group_no
                   AND u.from_sequence <= m.sequence AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
            LEFT JOIN ringtable.settlement AS l
                ON l.shard_id = m.shard_id AND l.block = @block AND l.[bit] = u.[bit]
            WHERE m.shard_id = @shard_id
              AND m.slot >= @from_slot
              AND m.slot <= @to_slot
              -- the byte of this sequence in the bitmap, and of that the bit
              AND (l.settled IS NULL
                   OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
                      & POWER(2, CAST(m.sequence % 8 AS INT)) = 0)
            GROUP BY m.slot
            OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
            SET @owed_here = @@ROWCOUNT;
            IF @owed_here > 0
            BEGIN
                INSERT INTO ringtable.backlog (shard_id, address_id, sequence, published_at, priority, expires_at,
                                               deliver_at, group_no, reference_count, pending, body_id, body_bytes,
                                               body, login_id)
                SELECT @shard_id, m.address_id, m.sequence, m.published_at, m.priority, m.expires_at, m.deliver_at,
                       m.group_no, o.reference_count, o.pending, m.body_id, m.body_bytes, m.body, m.login_id
                FROM @owed AS o
                JOIN ringtable.slot AS m ON m.shard_id = @shard_id AND m.slot = o.slot
                OPTION (LOOP JOIN, FORCE ORDER);
                SET @changed = @@ROWCOUNT;
                IF @changed <> @owed_here
                BEGIN
                    ROLLBACK TRANSACTION;
                    SET @message = CONCAT('backlog: ', @changed, ' rows moved where ', @owed_here, ' must');
                    THROW 50016, @message, 1;
                END;
                DELETE FROM @gained;
                INSERT INTO @gained (address_id, first_sequence, last_sequence, messages, bytes, first_expires_at,
                                     first_deliver_at)
                SELECT m.address_id, MIN(m.sequence), MAX(m.sequence), COUNT(*), SUM(CAST(m.body_bytes AS BIGINT)),
                       MIN(m.expires_at), MIN(m.deliver_at)
                FROM @owed AS o
                JOIN ringtable.slot AS m ON m.shard_id = @shard_id AND m.slot = o.slot
                GROUP BY m.address_id
                OPTION (LOOP JOIN, FORCE ORDER);
                UPDATE ringtable.backlog_summary
                SET last_sequence = g.last_sequence,
                    messages = backlog_summary.messages + g.messages,
                    bytes = backlog_summary.bytes + g.bytes,
                    first_expires_at = CASE
                        WHEN backlog_summary.first_expires_at <= g.first_expires_at OR g.first_expires_at IS NULL
                            THEN backlog_summary.first_expires_at
                        ELSE g.first_expires_at END,
                    first_deliver_at = CASE
                        WHEN backlog_summary.first_deliver_at <= g.first_deliver_at OR g.first_deliver_at IS NULL
                            THEN backlog_summary.first_deliver_at
                        ELSE g.first_deliver_at END
                FROM @gained AS g
                WHERE backlog_summary.shard_id = @shard_id AND backlog_summary.address_id = g.address_id
                OPTION (LOOP JOIN);
                INSERT INTO ringtable.backlog_summary (shard_id, address_id, first_sequence, last_sequence, messages,
                                                       bytes, first_expires_at, first_deliver_at)
                SELECT @shard_id, g.address_id, g.first_sequence, g.last_sequence, g.messages, g.bytes,
                       g.first_expires_at, g.first_deliver_at
                FROM @gained AS g
                WHERE NOT EXISTS (SELECT 1
                                  FROM ringtable.backlog_summary AS b
                                  WHERE b.shard_id = @shard_id AND b.address_id = g.address_id)
                OPTION (LOOP JOIN);
                INSERT INTO @grown (address_id)
                SELECT g.address_id
                FROM @gained AS g
                WHERE NOT EXISTS (SELECT 1 FROM @grown AS b WHERE b.address_id = g.address_id);
                SET @moved = @moved + @owed_here;
            END;
        END;
        DELETE FROM ringtable.settlement WHERE shard_id = @shard_id AND block <= @block;
        SET @first = @first + 1024;
    END;
    IF @moved <> @owed_expected
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('the tables say that ', @moved, ' messages from ', @gate, ' to ', @new_gate - 1,
            ' are still owed, the caller that ', @owed_expected, ' are');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;

    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0)
               AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0)
               AS first_deliver_at
    FROM @grown AS g
    JOIN ringtable.backlog_summary AS b ON b.shard_id = @shard_id AND b.address_id = g.address_id
    ORDER BY b.address_id
    OPTION (LOOP JOIN, FORCE ORDER);
END;
GO

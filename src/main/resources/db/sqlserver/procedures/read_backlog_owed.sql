-- read_backlog_owed: how many messages of a stretch of one backlog each live subscription still owes.
-- Called by:   statements/read_backlog_owed.sql, after recovery, a portion at a time.
-- Locks:       none that outlasts a row; one table per statement.
-- Access path: backlog_pk, backlog_settlement_pk and subscription_bit_is_held_once, ranges.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.read_backlog_owed;
GO

CREATE PROCEDURE ringtable.read_backlog_owed
    @shard_id INT,
    @address_id BIGINT,
    @from_sequence BIGINT,
    @to_sequence BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @ledger TABLE (
        block   BIGINT      NOT NULL,
        [bit]   SMALLINT    NOT NULL,
        settled BINARY(128) NOT NULL,
        PRIMARY KEY (block, [bit])
    );
    DECLARE @readers TABLE (
        group_no        SMALLINT NOT NULL,
        [bit]           SMALLINT NOT NULL,
        subscription_id BIGINT   NOT NULL,
        from_sequence   BIGINT   NOT NULL,
        PRIMARY KEY (group_no, [bit])
    );
    INSERT INTO @ledger (block, [bit], settled)
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id AND l.block >= @from_sequence / 1024
      AND l.block <= @to_sequence / 1024;
    INSERT INTO @readers (group_no, [bit], subscription_id, from_sequence)
    SELECT u.group_no, u.[bit], u.subscription_id, u.from_sequence
    FROM ringtable.subscription AS u
    WHERE u.shard_id = @shard_id AND u.address_id = @address_id;
    SELECT u.subscription_id, COUNT(*) AS messages
    FROM ringtable.backlog AS m WITH (FORCESEEK (backlog_pk (shard_id, address_id)))
    JOIN @readers AS u
        ON u.group_no = m.group_no AND u.from_sequence <= m.sequence
           AND m.pending & POWER(CAST(2 AS BIGINT), u.[bit]) <> 0
    LEFT JOIN @ledger AS l ON l.block = m.sequence / 1024 AND l.[bit] = u.[bit]
    WHERE m.shard_id = @shard_id
      AND m.address_id = @address_id
      AND m.sequence >= @from_sequence
      AND m.sequence < @to_sequence
      AND (l.settled IS NULL
           OR CAST(SUBSTRING(l.settled, CAST(m.sequence % 1024 / 8 AS INT) + 1, 1) AS INT)
              & POWER(2, CAST(m.sequence % 8 AS INT)) = 0)
    GROUP BY u.subscription_id
    OPTION (LOOP JOIN, FORCE ORDER, KEEPFIXED PLAN);
END;
GO

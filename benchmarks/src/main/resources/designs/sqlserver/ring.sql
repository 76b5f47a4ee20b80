-- ring:    slots that are there from the beginning and are updated in place, each with a count of its readers.
-- Source:  Kejser, "Table Pattern: Database Message Queues": push LMAX'ed; "variants can be done if you have multiple
--          subscribers".
-- Differs: message is varchar(max) where the article has char(300), since bodies have up to 65,536 bytes. Up to 8,000
--          bytes lie in the row all the same; a larger body has pages of its own. The slots are filled with bodies of
--          the right length, so that no push splits a page.
-- Differs: READPAST beside the article's ROWLOCK in a push. Each statement of the article is a transaction. In a batch,
--          a pusher that waited for a popper would keep its messages locked, and poppers wait for them: a deadlock,
--          whose victim loses the numbers of its batch. A pusher takes a locked slot for a full one instead.
-- Calls:   slot_key of slots_*.sql.
CREATE TABLE dbo.ring (
    slot            bigint       NOT NULL,
    message_id      bigint       NULL,
    time            datetime2    NOT NULL,
    message         varchar(max) NOT NULL,
    reference_count tinyint      NOT NULL
);
GO

CREATE PROCEDURE dbo.fill
    @ring_size bigint,
    @body_bytes int
AS
BEGIN
    SET NOCOUNT ON;
    INSERT INTO dbo.ring WITH (TABLOCK) (slot, time, message, reference_count)
    SELECT dbo.slot_key(s.slot), '2050-01-01',
        'dummy' + SPACE(CASE WHEN @body_bytes < 8000 THEN @body_bytes ELSE 8000 END - 5), 0
    FROM (
        SELECT TOP (@ring_size) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1 AS slot
        FROM sys.all_columns AS a
        CROSS JOIN sys.all_columns AS b
    ) AS s;
    CREATE UNIQUE CLUSTERED INDEX ring_slot ON dbo.ring (slot) WITH (FILLFACTOR = 100);
END;
GO

CREATE PROCEDURE dbo.push_one
    @number bigint,
    @body varchar(max),
    @subscribers int,
    @ring_size bigint,
    @pushed bit OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @slot bigint = dbo.slot_key(@number % @ring_size); -- a function in the predicate might hinder the seek
    UPDATE dbo.ring WITH (ROWLOCK, READCOMMITTEDLOCK, READPAST)
    SET time = SYSUTCDATETIME(),
        message = @body,
        message_id = @number,
        reference_count = reference_count + @subscribers
    WHERE slot = @slot AND reference_count = 0; -- don't overwrite
    SET @pushed = @@ROWCOUNT;
END;
GO

CREATE VIEW dbo.owed AS SELECT COALESCE(SUM(CAST(reference_count AS bigint)), 0) AS messages FROM dbo.ring;

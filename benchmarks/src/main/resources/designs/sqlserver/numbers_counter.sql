-- numbers_counter: numbers from a row each, which stays locked until the commit.
-- Source:  Kejser, "Table Pattern: Database Message Queues", which uses a sequence instead.
CREATE TABLE dbo.counters (
    source varchar(20) NOT NULL,
    number bigint      NOT NULL,
    CONSTRAINT counters_pk PRIMARY KEY CLUSTERED (source)
);
INSERT INTO dbo.counters (source, number)
VALUES
    ('push_numbers', 0),
    ('pop_numbers_0', 0), ('pop_numbers_1', 0), ('pop_numbers_2', 0), ('pop_numbers_3', 0), ('pop_numbers_4', 0),
    ('pop_numbers_5', 0), ('pop_numbers_6', 0), ('pop_numbers_7', 0), ('pop_numbers_8', 0), ('pop_numbers_9', 0);
GO

CREATE PROCEDURE dbo.next_number
    @source varchar(20),
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    UPDATE dbo.counters WITH (ROWLOCK)
    SET @number = number = number + 1
    WHERE source = @source;
END;

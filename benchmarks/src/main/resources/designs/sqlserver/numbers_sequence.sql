-- numbers_sequence: numbers from sequences, one for pushes and one for each subscriber's pops.
-- Source:  Kejser, "Table Pattern: Database Message Queues". CACHE is that of Adkin, "Super Scaling Queues Using the
--          LMax Disruptor Pattern"; the server has one cache for all sessions, so no number is missing while it runs.
-- Differs: Adkin's sequences begin anew after a lap. These go on, and the slot is the remainder, as Kejser has it.
-- Differs: coming_number reads last_used_value. Adkin reads current_value, which is 1 both before the first number and
--          after it, so that the popper of that article tries the first slot again.
CREATE SEQUENCE dbo.push_numbers AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_0 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_1 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_2 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_3 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_4 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_5 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_6 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_7 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_8 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
CREATE SEQUENCE dbo.pop_numbers_9 AS bigint START WITH 1 INCREMENT BY 1 CACHE 1000;
GO

CREATE PROCEDURE dbo.next_number
    @source varchar(20),
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    IF @source = 'push_numbers'
        SET @number = NEXT VALUE FOR dbo.push_numbers;
    ELSE IF @source = 'pop_numbers_0'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_0;
    ELSE IF @source = 'pop_numbers_1'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_1;
    ELSE IF @source = 'pop_numbers_2'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_2;
    ELSE IF @source = 'pop_numbers_3'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_3;
    ELSE IF @source = 'pop_numbers_4'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_4;
    ELSE IF @source = 'pop_numbers_5'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_5;
    ELSE IF @source = 'pop_numbers_6'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_6;
    ELSE IF @source = 'pop_numbers_7'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_7;
    ELSE IF @source = 'pop_numbers_8'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_8;
    ELSE IF @source = 'pop_numbers_9'
        SET @number = NEXT VALUE FOR dbo.pop_numbers_9;
    ELSE
        THROW 50002, 'the source of numbers is unknown', 1;
END;
GO

CREATE PROCEDURE dbo.coming_number
    @source varchar(20),
    @number bigint OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT @number = COALESCE(CAST(last_used_value AS bigint), 0) + 1
    FROM sys.sequences
    WHERE object_id = OBJECT_ID('dbo.' + @source, 'SO');
END;

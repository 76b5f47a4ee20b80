-- publish: publishes a text inside the transaction of the caller.
-- Called by:   applications, who need EXECUTE on it and no right on any table.
-- Locks:       as lay_in_inbox.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
--
-- Subscribers get the message once the transaction has committed, and never if it rolls back.
DROP PROCEDURE IF EXISTS ringtable.publish;
GO

CREATE PROCEDURE ringtable.publish
    @address NVARCHAR(4000),
    @body NVARCHAR(MAX),
    @properties NVARCHAR(MAX) = N'{}'
AS
BEGIN
    SET NOCOUNT ON;
    EXECUTE ringtable.lay_in_inbox @address, @body, NULL, @properties;
END;
GO

-- The right to execute went with the procedure that was dropped. Whoever has it from another role than these two is
-- granted it again by hand.
IF EXISTS (SELECT 1 FROM sys.database_principals AS p WHERE p.name = N'ringtable_application')
    GRANT EXECUTE ON ringtable.publish TO ringtable_application;
GO

IF EXISTS (SELECT 1 FROM sys.database_principals AS p WHERE p.name = N'ringtable_publisher')
    GRANT EXECUTE ON ringtable.publish TO ringtable_publisher;
GO

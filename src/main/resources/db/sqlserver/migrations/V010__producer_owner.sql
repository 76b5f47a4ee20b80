-- A producer belongs to the first user who opens it, and to nobody until then.

ALTER TABLE ringtable.producer ADD
    owner NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NULL -- name of the user who opened it first; NULL = nobody yet
        CONSTRAINT producer_owner_is_somebody CHECK (owner <> N'');
GO

-- A producer belongs to the first user who opens it, and to nobody until then.

ALTER TABLE ringtable.producer ADD COLUMN owner text COLLATE "C";
ALTER TABLE ringtable.producer ADD CONSTRAINT producer_owner_is_somebody CHECK (owner <> '');

COMMENT ON COLUMN ringtable.producer.owner IS
    'Name of the user who opened it first, as it logs in; NULL = nobody, it goes to the next user who opens it';

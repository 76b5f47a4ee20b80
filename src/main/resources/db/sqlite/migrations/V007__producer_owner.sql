-- A producer belongs to the first user who opens it, and to nobody until then. The table is made anew, so that it
-- reads as schema.sql does.

ALTER TABLE producer RENAME TO producer_before;

CREATE TABLE producer (
    producer_id      INTEGER PRIMARY KEY, -- never reused
    address_id       INTEGER NOT NULL,    -- where it publishes numbered messages
    name             TEXT    NOT NULL,    -- the producer id that its application chose
    incarnation      INTEGER NOT NULL,    -- rises whenever an application opens it anew: earlier ones are fenced
    last_number      INTEGER NOT NULL,    -- number of its last message that is stored, written with it; 0 = none
    used_at          INTEGER NOT NULL,    -- when it was opened, or its last message was taken
    owner            TEXT,                -- name of the user who opened it first, as it logs in; NULL = nobody yet
    CONSTRAINT producer_name_is_unique_on_its_address UNIQUE (address_id, name),
    CONSTRAINT producer_publishes_to_an_address FOREIGN KEY (address_id) REFERENCES address (address_id),
    CONSTRAINT incarnation_begins_with_1 CHECK (incarnation >= 1),
    CONSTRAINT last_number_is_not_negative CHECK (last_number >= 0),
    CONSTRAINT producer_owner_is_somebody CHECK (owner <> '')
) STRICT;

INSERT INTO producer (producer_id, address_id, name, incarnation, last_number, used_at)
SELECT producer_id, address_id, name, incarnation, last_number, used_at
FROM producer_before;

DROP TABLE producer_before;

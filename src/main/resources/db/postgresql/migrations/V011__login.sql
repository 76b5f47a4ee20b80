-- By which login each message was published. What stands in the tables by now came by logins that nobody kept: -1.
-- No row is written: the server gives old rows the default of the moment.

CREATE TABLE ringtable.login (
    shard_id integer NOT NULL,
    login_id integer NOT NULL,
    kind     text    NOT NULL,
    name     text    COLLATE "C" NOT NULL,
    CONSTRAINT login_pk PRIMARY KEY (shard_id, login_id),
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker')),
    CONSTRAINT login_of_a_user_has_a_name CHECK (kind <> 'user' OR name <> '')
);

COMMENT ON TABLE ringtable.login IS
    'By which logins messages were published: what the broker or the database has checked';
COMMENT ON COLUMN ringtable.login.shard_id IS 'Shard of the messages';
COMMENT ON COLUMN ringtable.login.login_id IS '1, 2, 3 ...: never reused in its shard';
COMMENT ON COLUMN ringtable.login.kind IS
    'user: of the broker; database: of a transaction that published by SQL; broker: the broker itself';
COMMENT ON COLUMN ringtable.login.name IS 'Of the user, as it logs in; empty if there is none or it is not known';

ALTER TABLE ringtable.slot ADD COLUMN login_id integer DEFAULT -1;
ALTER TABLE ringtable.slot ALTER COLUMN login_id DROP DEFAULT;

COMMENT ON COLUMN ringtable.slot.login_id IS
    'Who published it: a row of login; NULL = a client without a login, -1 = not known. It stands last: a message '
    'without a login has no byte of it';

ALTER TABLE ringtable.backlog ADD COLUMN login_id integer DEFAULT -1;
ALTER TABLE ringtable.backlog ALTER COLUMN login_id DROP DEFAULT;

COMMENT ON COLUMN ringtable.backlog.login_id IS 'Who published it, as in slot';

ALTER TABLE ringtable.inbox ADD COLUMN published_by text;

COMMENT ON COLUMN ringtable.inbox.published_by IS
    'User of the database who published the message, whatever role it took; NULL for a settlement, or if not known';

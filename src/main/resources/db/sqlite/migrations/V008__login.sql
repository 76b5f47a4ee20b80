-- By which login each message was published. What stands in the tables by now came by logins that nobody kept: -1.

CREATE TABLE login (
    login_id         INTEGER PRIMARY KEY, -- 1, 2, 3 ...: never reused; what slot.login_id and backlog.login_id name
    kind             TEXT    NOT NULL,    -- user: of the broker; database: of a transaction of its own; broker: itself
    name             TEXT    NOT NULL,    -- of the user, as it logs in; empty if there is none or it is not known
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker')),
    CONSTRAINT login_of_a_user_has_a_name CHECK (kind <> 'user' OR name <> '')
) STRICT;

ALTER TABLE slot ADD COLUMN login_id INTEGER NOT NULL DEFAULT -1;

ALTER TABLE backlog ADD COLUMN login_id INTEGER NOT NULL DEFAULT -1;

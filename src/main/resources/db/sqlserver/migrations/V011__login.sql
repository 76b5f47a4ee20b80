-- By which login each message was published. What stands in the tables by now came by logins that nobody kept: NULL. A
-- column that may be NULL is added without writing a row, in every edition.

CREATE TABLE ringtable.login (
    shard_id INT           NOT NULL,
    login_id INT           NOT NULL, -- 1, 2, 3 ...: never reused in its shard
    kind     VARCHAR(10)   NOT NULL, -- user: of the broker; database: of a transaction that published by SQL; broker
    name     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the user; empty if none or not known
    CONSTRAINT login_pk PRIMARY KEY CLUSTERED (shard_id, login_id),
    CONSTRAINT login_id_begins_with_1 CHECK (login_id >= 1),
    CONSTRAINT login_kind_is_known CHECK (kind IN ('user', 'database', 'broker'))
);
GO

ALTER TABLE ringtable.slot ADD login_id INT NULL;
ALTER TABLE ringtable.backlog ADD login_id INT NULL;
ALTER TABLE ringtable.inbox ADD published_by NVARCHAR(128) NULL;
GO

-- The type of claims with one column more has another name: a type cannot change while procedures name it. The files in
-- procedures make these three again.

DROP PROCEDURE ringtable.flush_once;
DROP PROCEDURE ringtable.flush_inbox;
DROP PROCEDURE ringtable.flush;
DROP TYPE ringtable.claim_list;
GO

CREATE TYPE ringtable.message_list AS TABLE (
    sequence        BIGINT          NOT NULL PRIMARY KEY,
    address_id      BIGINT          NOT NULL,
    published_at    BIGINT          NOT NULL, -- milliseconds since 1970 UTC; the driver would send instants as text
    priority        TINYINT         NOT NULL,
    expires_at      BIGINT          NOT NULL, -- 0 = never
    deliver_at      BIGINT          NOT NULL, -- 0 = at once
    group_no        SMALLINT        NOT NULL,
    reference_count TINYINT         NOT NULL,
    pending         BIGINT          NOT NULL,
    body_id         BIGINT          NULL,
    body_bytes      INT             NOT NULL,
    body            VARBINARY(8000) NULL,
    login_id        INT             NOT NULL
);
GO

-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE ringtable.setting (
    shard_id   INT           NOT NULL,
    kind       VARCHAR(10)   NOT NULL, -- user, rule, role, policy or job
    name       NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of a policy its pattern
    document   NVARCHAR(MAX) NOT NULL, -- JSON; which fields it has is the kind's affair
    changed_by NVARCHAR(400) NOT NULL, -- name of the user who set it last; empty = there are no users
    changed_at DATETIME2(3)  NOT NULL, -- when
    CONSTRAINT setting_pk PRIMARY KEY CLUSTERED (shard_id, kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> N'')
);
GO

-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE ringtable.setting (
    shard_id   integer     NOT NULL,
    kind       text        COLLATE "C" NOT NULL,
    name       text        COLLATE "C" NOT NULL,
    document   text        NOT NULL,
    changed_by text        NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT setting_pk PRIMARY KEY (shard_id, kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> '')
);

COMMENT ON TABLE ringtable.setting IS
    'What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages';
COMMENT ON COLUMN ringtable.setting.shard_id IS 'Shard that it is for';
COMMENT ON COLUMN ringtable.setting.kind IS 'user, rule, role, policy or job';
COMMENT ON COLUMN ringtable.setting.name IS 'Of a policy its pattern';
COMMENT ON COLUMN ringtable.setting.document IS 'JSON; which fields it has is the kind''s affair';
COMMENT ON COLUMN ringtable.setting.changed_by IS 'Name of the user who set it last; empty = there are no users';
COMMENT ON COLUMN ringtable.setting.changed_at IS 'When';

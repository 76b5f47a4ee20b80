-- What administrators set at run time: users, rules, roles, policies of addresses, and jobs over many messages.

CREATE TABLE setting (
    kind       TEXT    NOT NULL, -- user, rule, role, policy or job
    name       TEXT    NOT NULL, -- of a policy its pattern
    document   TEXT    NOT NULL, -- JSON; which fields it has is the kind's affair
    changed_by TEXT    NOT NULL, -- name of the user who set it last; empty = there are no users
    changed_at INTEGER NOT NULL, -- when
    CONSTRAINT setting_pk PRIMARY KEY (kind, name),
    CONSTRAINT setting_kind_is_known CHECK (kind IN ('user', 'rule', 'role', 'policy', 'job')),
    CONSTRAINT setting_has_a_name CHECK (name <> '')
) STRICT, WITHOUT ROWID;

-- Which nodes there are: each writes its row by timer, so that people and other nodes see it, also while it stands by.

CREATE TABLE ringtable.node (
    node_id     text   NOT NULL,
    run_id      text   NOT NULL,
    description text   NOT NULL,
    version     text   NOT NULL,
    state       text   NOT NULL,
    url         text,
    seen_at     timestamptz NOT NULL,
    lease_ms    bigint NOT NULL,
    CONSTRAINT node_pk PRIMARY KEY (node_id),
    CONSTRAINT node_lease_is_positive CHECK (lease_ms > 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.node IS 'A node that is there, or was within the last day. Says nothing about ownership';
COMMENT ON COLUMN ringtable.node.node_id IS 'Id that the node keeps in its data directory';
COMMENT ON COLUMN ringtable.node.run_id IS 'Of the process: two with one node_id have copies of one data directory';
COMMENT ON COLUMN ringtable.node.description IS 'For people: host and process';
COMMENT ON COLUMN ringtable.node.version IS 'Of the broker';
COMMENT ON COLUMN ringtable.node.state IS 'What the node said of itself: ACTIVE, STANDBY, FAILED and so on';
COMMENT ON COLUMN ringtable.node.url IS 'Where clients reach it; NULL while it has no port';
COMMENT ON COLUMN ringtable.node.seen_at IS 'When it last wrote this row, by the clock of this server';
COMMENT ON COLUMN ringtable.node.lease_ms IS 'Its lease: the node counts as lost when it was not seen for longer';

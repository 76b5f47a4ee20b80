-- How far the copies for a subscription that began in the past have come, in a table of its own. Until now it stood
-- among the producers: one named $replay: and the id of the subscription, with incarnation 2 when all copies were there.

CREATE TABLE ringtable.replay (
    shard_id        integer NOT NULL,
    subscription_id bigint  NOT NULL,
    position        bigint  NOT NULL,
    finished        boolean NOT NULL,
    CONSTRAINT replay_pk PRIMARY KEY (shard_id, subscription_id),
    CONSTRAINT replay_subscription_exists FOREIGN KEY (shard_id, subscription_id) REFERENCES ringtable.subscription,
    CONSTRAINT replay_position_is_not_negative CHECK (position >= 0)
) WITH (fillfactor = 20);

COMMENT ON TABLE ringtable.replay IS
    'One row per subscription that began at a time in the past: how far the copies of what was kept have come, written '
    'with them by the same flush. It stays as long as the subscription';
COMMENT ON COLUMN ringtable.replay.shard_id IS 'Shard of the subscription';
COMMENT ON COLUMN ringtable.replay.subscription_id IS 'Whom the copies are made for';
COMMENT ON COLUMN ringtable.replay.position IS 'First sequence that has not been copied';
COMMENT ON COLUMN ringtable.replay.finished IS
    'Everything has been copied: the subscription owes what is published from then on like every other one';

INSERT INTO ringtable.replay (shard_id, subscription_id, position, finished)
SELECT p.shard_id, s.subscription_id, p.last_number, p.incarnation >= 2
FROM ringtable.producer AS p
JOIN ringtable.subscription AS s
    ON s.shard_id = p.shard_id AND s.address_id = p.address_id AND p.name = '$replay:' || s.subscription_id;

DELETE FROM ringtable.producer WHERE name LIKE '$replay:%';

-- Verbs come from the files in procedures from now on. Those that have another name there go.

DROP FUNCTION ringtable.lock_owner;

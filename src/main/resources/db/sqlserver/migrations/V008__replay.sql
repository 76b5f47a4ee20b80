-- How far the copies for a subscription that began in the past have come, in a table of its own. Until now it stood
-- among the producers: one named $replay: and the id of the subscription, with incarnation 2 when all copies were there.

CREATE TABLE ringtable.replay (
    shard_id        INT    NOT NULL,
    subscription_id BIGINT NOT NULL, -- whom the copies are made for; the row stays as long as the subscription
    position        BIGINT NOT NULL, -- first sequence that has not been copied, written with the copies
    finished        BIT    NOT NULL, -- everything has been copied: it owes what is published from then on
    CONSTRAINT replay_pk PRIMARY KEY CLUSTERED (shard_id, subscription_id),
    CONSTRAINT replay_position_is_not_negative CHECK (position >= 0)
);

CREATE TYPE ringtable.replay_list AS TABLE (
    subscription_id BIGINT NOT NULL PRIMARY KEY,
    position        BIGINT NOT NULL
);
GO

INSERT INTO ringtable.replay (shard_id, subscription_id, position, finished)
SELECT p.shard_id, s.subscription_id, p.last_number, CASE WHEN p.incarnation >= 2 THEN 1 ELSE 0 END
FROM ringtable.producer AS p
JOIN ringtable.subscription AS s
    ON s.shard_id = p.shard_id AND s.address_id = p.address_id
       AND p.name = CONCAT(N'$replay:', s.subscription_id);

DELETE FROM ringtable.producer WHERE name LIKE N'$replay:%';
GO

-- Verbs come from the files in procedures from now on. Those that have another name there go.

DROP PROCEDURE ringtable.own_client;
DROP PROCEDURE ringtable.disown_client;
GO

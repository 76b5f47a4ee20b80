-- How far the copies for a subscription that began in the past have come, in a table of its own. Until now it stood
-- among the producers: one named $replay: and the id of the subscription, with incarnation 2 when all copies were there.

CREATE TABLE replay (
    subscription_id  INTEGER PRIMARY KEY, -- whom the copies are made for; the row stays as long as the subscription
    position         INTEGER NOT NULL,    -- first sequence that has not been copied, written with the copies
    finished         INTEGER NOT NULL,    -- 1 = all is copied: it owes what is published from then on
    CONSTRAINT replay_is_of_a_subscription FOREIGN KEY (subscription_id) REFERENCES subscription (subscription_id),
    CONSTRAINT position_is_not_negative CHECK (position >= 0),
    CONSTRAINT finished_is_0_or_1 CHECK (finished IN (0, 1))
) STRICT;

INSERT INTO replay (subscription_id, position, finished)
SELECT s.subscription_id, p.last_number, p.incarnation >= 2
FROM producer AS p
JOIN subscription AS s ON s.address_id = p.address_id AND p.name = '$replay:' || s.subscription_id;

DELETE FROM producer WHERE name LIKE '$replay:%';

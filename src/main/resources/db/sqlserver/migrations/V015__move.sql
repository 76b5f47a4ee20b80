-- A queue that moves to another shard: the row of the directory says where to.

ALTER TABLE ringtable.home ADD
    next_shard_id INT NOT NULL -- where an address moves to; -1 = it stays
        CONSTRAINT home_next_is_none DEFAULT -1,
    CONSTRAINT home_next_is_another CHECK
        (next_shard_id = -1 OR scope = 'address' AND next_shard_id >= 0 AND next_shard_id <> shard_id);
GO

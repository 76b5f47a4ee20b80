-- A queue that moves to another shard: the row of the directory says where to.

ALTER TABLE ringtable.home ADD COLUMN next_shard_id integer NOT NULL DEFAULT -1;
ALTER TABLE ringtable.home ADD CONSTRAINT home_next_is_another CHECK
    (next_shard_id = -1 OR scope = 'address' AND next_shard_id >= 0 AND next_shard_id <> shard_id);

COMMENT ON COLUMN ringtable.home.next_shard_id IS 'Where an address moves to; -1 = it stays';

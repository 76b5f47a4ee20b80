-- After a restore to an earlier point in time, with every broker stopped, before the first one is started. The
-- restored owner row has an epoch that has been given away since: a broker that was merely paused, not stopped, could
-- pass for the next owner. This lifts the epoch above all that were ever given. No other change may be made to these
-- tables by hand, except to client_owner.
UPDATE ringtable.shard SET epoch = epoch + 1000000;
UPDATE ringtable.lease SET lease_ms = 0;
GO

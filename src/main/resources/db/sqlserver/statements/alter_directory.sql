-- alter_directory: changes rows of the directory, all of them or none, if each is still as its caller knows it.
-- Called by:   SqlserverRingStore.alterDirectory.
-- Locks:       the row of directory until commit; waits for no flush.
-- Access path: see procedures/alter_directory.sql.
-- Changes:     each row that is named, and the version; or nothing.
EXECUTE ringtable.alter_directory @changes = ?;

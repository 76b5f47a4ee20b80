-- alter_directory: changes rows of the directory, all of them or none, if each is still as its caller knows it.
-- Called by:   PostgresqlRingStore.alterDirectory, in auto-commit.
-- Locks:       the row of directory until commit; waits for no flush.
-- Access path: directory_pk; home_pk.
-- Changes:     each row that is named, and the version; or nothing.
SELECT is_applied, directory_version, scope, name, part, kind, shard_id, owner, state, version, next_shard_id
FROM ringtable.alter_directory(
    p_scopes => ?, p_names => ?, p_parts => ?, p_kinds => ?, p_shard_ids => ?, p_owners => ?, p_states => ?,
    p_expected => ?, p_next_shard_ids => ?);

package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Changes and reads the directory through the connections of a store. Thread: any.
 *
 * @param alter makes changes, each call a transaction
 * @param read returns what has changed since a version
 */
record JdbcDirectory(Function<List<HomeChange>, Answer> alter, LongFunction<Changes> read) implements DirectoryStore {
    @Override
    public Answer alter(List<HomeChange> changes) {
        if (changes.isEmpty() || changes.size() > CHANGES_MAX) {
            throw new IllegalArgumentException(changes.size() + " changes are not 1 to " + CHANGES_MAX);
        }
        return alter.apply(changes);
    }

    @Override
    public Changes changes(long since) {
        return read.apply(since);
    }
}

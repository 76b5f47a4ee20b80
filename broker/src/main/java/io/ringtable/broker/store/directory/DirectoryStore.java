package io.ringtable.broker.store.directory;

import java.util.List;

/**
 * Stores the directory. Every node may change it: a change names the version of each row that it supersedes, so it
 * needs no owner and no lease. One method is one transaction, durable when it returns.
 * <p>
 * Thread: any. Failure: {@code StoreFailure} only. A change whose outcome is unknown may be
 * asked for again: if it was made, the answer shows its rows.
 */
public interface DirectoryStore {
    /** Limits the changes of one call. */
    int CHANGES_MAX = 500;

    /**
     * Makes all of the changes, or none if one of the rows has another version than its caller knows. Changes follow
     * each other, so versions rise in the order in which they are made.
     *
     * @param changes 1 to {@value #CHANGES_MAX}, none of the same scope, name and part as another
     */
    Answer alter(List<HomeChange> changes);

    /**
     * Returns what has changed since that version.
     *
     * @param since 0 = everything
     */
    Changes changes(long since);

    /**
     * Answers changes.
     *
     * @param isApplied whether they are made
     * @param version of the directory now
     * @param rows all of the names that the changes name, as they are now
     */
    record Answer(boolean isApplied, long version, List<HomeRow> rows) {}

    /**
     * Lists rows.
     *
     * @param version of the directory
     * @param isWhole whether these are all rows there are: one has been removed since, and its removal has no row
     */
    record Changes(long version, boolean isWhole, List<HomeRow> rows) {}
}

package io.ringtable.broker.store.directory;

/**
 * Changes one row of the directory, if the row is still as the caller knows it.
 *
 * @param row as it is to be; its version is the one that the caller knows, 0 for a row that must not be there yet
 * @param isRemoval whether the row goes; the rest of it but its key then means nothing
 */
public record HomeChange(HomeRow row, boolean isRemoval) {
    public HomeChange {
        if (isRemoval && row.version() == 0) {
            throw new IllegalArgumentException(row + " is not there to be removed");
        }
    }

    /** Adds the row, or replaces the one of its version. */
    public static HomeChange put(HomeRow row) {
        return new HomeChange(row, false);
    }

    public static HomeChange remove(HomeRow row) {
        return new HomeChange(row, true);
    }
}

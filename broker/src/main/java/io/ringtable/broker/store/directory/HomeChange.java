package io.ringtable.broker.store.directory;

/**
 * Changes one row of the directory, if the row is still as the caller knows it.
 *
 * @param row as it is to be. Its version is the one that the caller knows; 0 = the row must not be there yet
 * @param isRemoval whether the row goes; then its key and its version alone count
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

package io.ringtable.broker.status;

import java.util.List;

/**
 * Holds a part of what is open in the broker now, in the order of its key. Immutable.
 *
 * @param next where the next part begins; null if this is the last
 * @param silent event loops that did not answer in time, so that what their connections have is not here; null if all
 *     answered
 */
public record Snapshot<T>(List<T> items, String next, List<String> silent) {
    public Snapshot {
        items = List.copyOf(items);
        silent = silent == null || silent.isEmpty() ? null : List.copyOf(silent);
    }
}

package io.ringtable.broker.management;

import java.util.List;

/**
 * Answers with one page of a list.
 *
 * @param next cursor of the page behind it; null if this is the last
 * @param silent other nodes that did not answer, each with the reason; null if all did that have something of the list
 */
public record Listing<T>(List<T> items, String next, List<String> silent) {
    public Listing {
        items = List.copyOf(items);
        silent = silent == null || silent.isEmpty() ? null : List.copyOf(silent);
    }

    /** Makes a page of one node. */
    public Listing(List<T> items, String next) {
        this(items, next, null);
    }
}

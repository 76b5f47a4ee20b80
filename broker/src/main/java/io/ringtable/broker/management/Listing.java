package io.ringtable.broker.management;

import java.util.List;

/**
 * Answers with one page of a list.
 *
 * @param next cursor of the page behind it; null if this is the last
 */
public record Listing<T>(List<T> items, String next) {
    public Listing {
        items = List.copyOf(items);
    }
}

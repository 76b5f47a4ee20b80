package io.ringtable.broker.inspect;

import java.util.List;

/**
 * Holds a part of a list of messages.
 *
 * @param next the sequence to go on after; null if there is nothing more. There may be a next although the page is
 *     empty: one answer looks at a bounded number of messages
 */
public record MessagePage(List<MessageSummary> items, Long next) {
    public MessagePage {
        items = List.copyOf(items);
    }
}

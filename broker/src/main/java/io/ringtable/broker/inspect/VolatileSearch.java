package io.ringtable.broker.inspect;

import io.ringtable.broker.dispatch.browse.VolatileOwed;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.message.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds messages that a volatile subscription owes, in the order in which they came. One search looks into as many
 * messages, and takes as long, as one of the store.
 * <p>
 * Thread: inspector; one instance for each search.
 */
final class VolatileSearch {
    static final String PLACE = "memory";

    private final MessageQuery query;
    private final VolatileOwed owed;
    private final MessageMatcher matcher;
    private final SearchBounds bounds = new SearchBounds();
    private final List<MessageSummary> found = new ArrayList<>();

    VolatileSearch(MessageQuery query, VolatileOwed owed, MessageCodec codec) {
        this.query = query;
        this.owed = owed;
        this.matcher = new MessageMatcher(query, codec);
    }

    MessagePage run() {
        long after = query.after();
        for (Ready ready : owed.inOrder()) {
            if (ready.sequence() <= query.after()) {
                continue;
            }
            if (found.size() == query.limit() || !bounds.isRoomLeft()) {
                return new MessagePage(found, after);
            }
            after = ready.sequence();
            look(ready);
        }
        return new MessagePage(found, null);
    }

    private void look(Ready ready) {
        Message message = ready.message();
        bounds.lookedAt(1);
        if (message.publishedAt() < query.since() || message.publishedAt() > query.until()) {
            return;
        }
        bounds.read(message.bytes());
        MessageSummary summary = matcher.match(copy(message), ready.sequence(), message.bytes(), PLACE);
        if (summary != null) {
            found.add(summary.failed(ready.failures()));
        }
    }

    /**
     * Copies the message for a selector. A selector leaves what it finds out with its message, where it would take
     * memory until consumers have it.
     */
    private static Message copy(Message message) {
        return new Message(
                message.address(),
                message.publishedAt(),
                message.priority(),
                message.expiresAt(),
                message.deliverAt(),
                message.encoded(),
                message.bodyId(),
                null,
                message.login());
    }
}

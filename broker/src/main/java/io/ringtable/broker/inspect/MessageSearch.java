package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Finds messages that a subscription owes, in the order of their sequences: first those of the backlog, then those of
 * the ring. Reads the store in portions and takes nothing, so whether a consumer has a message makes no difference. One
 * search takes a bounded time and looks at a bounded number of messages and bytes, and says where the next one goes on.
 * <p>
 * A search by time leaps over the backlog to where the time begins. Times of publishing rise with sequences, except
 * where the clock was set back by more than {@value #CLOCK_SLACK_MS} ms.
 * <p>
 * Thread: inspector; one instance for each search.
 */
final class MessageSearch {
    /** The most messages that are read together. */
    private static final int PORTION = 256;
    /** The number of bytes after which one read ends. */
    private static final long PORTION_BYTES = 1L << 20;
    /** The number of sequences of the backlog that one read passes at most, whoever owes them. */
    private static final long STRETCH = 65_536;
    /** The number of sequences among which a search by time leaps no more. */
    private static final long LEAP_LEAST = 1_024;

    static final long CLOCK_SLACK_MS = 60_000;

    private final MessageQuery query;
    private final Subscription subscription;
    private final RingReads store;
    private final MessageRows rows;
    private final MessageMatcher matcher;
    private final SearchBounds bounds = new SearchBounds();
    private final List<MessageSummary> found = new ArrayList<>();
    private long after;
    private boolean isPast; // everything that follows was published too late

    MessageSearch(MessageQuery query, RingReads store, MessageRows rows, MessageCodec codec) {
        this.query = query;
        this.subscription = query.subscription();
        this.store = store;
        this.rows = rows;
        this.matcher = new MessageMatcher(query, codec);
        this.after = Math.max(query.after(), subscription.fromSequence() - 1);
    }

    MessagePage run() {
        if (query.since() > 0) {
            leap();
        }
        boolean more = true;
        while (more && isRoomLeft()) {
            more = readBacklog() || readRing();
        }
        return new MessagePage(found, more && !isPast ? after : null);
    }

    private boolean isRoomLeft() {
        return found.size() < query.limit() && bounds.isRoomLeft() && !isPast;
    }

    /**
     * Passes over the messages of the backlog that were published too early. A stretch in which the subscription owes
     * nothing ends the leap.
     */
    private void leap() {
        long end = rows.ring().gate();
        long wanted = query.since() - CLOCK_SLACK_MS;
        while (end - after > LEAP_LEAST) {
            long middle = after + (end - after) / 2;
            List<StoredMessage> next = backlog(middle, middle + STRETCH, 1);
            if (next.isEmpty()) {
                return;
            }
            if (next.get(0).publishedAt() >= wanted) {
                end = middle;
            } else {
                after = next.get(0).sequence();
            }
        }
    }

    /** @return false if the backlog has nothing more */
    private boolean readBacklog() {
        long gate = rows.ring().gate();
        long end = after + 1 + STRETCH;
        List<StoredMessage> portion = backlog(after, end, PORTION);
        bounds.lookedAt(Math.max(1, portion.size()));
        portion.forEach(message -> look(message, false));
        if (portion.isEmpty()) {
            after = Math.max(after, Math.min(end, gate) - 1);
            return end < gate;
        }
        return true;
    }

    private List<StoredMessage> backlog(long from, long end, int max) {
        return store.readBacklog(
                subscription.address().id(), subscription.group(), subscription.bit(), from, end, max, PORTION_BYTES);
    }

    /** @return false if the ring has nothing more */
    private boolean readRing() {
        long from = Math.max(after + 1, rows.ring().gate());
        long end = Math.min(from + PORTION, rows.ring().next());
        if (from >= end) {
            return false;
        }
        List<StoredMessage> portion = store.readRing(LongStream.range(from, end).toArray());
        if (!backlog(after, end, 1).isEmpty()) {
            return true; // some have moved to the backlog meanwhile: they are read there
        }
        bounds.lookedAt((int) (end - from));
        portion.forEach(message -> look(message, true));
        if (found.size() < query.limit()) {
            after = end - 1;
        }
        return true;
    }

    private void look(StoredMessage message, boolean inRing) {
        if (found.size() == query.limit() || isPast) {
            return; // the next page begins here
        }
        after = message.sequence();
        boolean owes = message.addressId() == subscription.address().id()
                && subscription.owes(message.sequence(), message.group(), message.pending());
        if (!owes || message.publishedAt() < query.since()) {
            return;
        }
        if (message.publishedAt() > query.until()) {
            isPast = message.publishedAt() - CLOCK_SLACK_MS > query.until();
            return;
        }
        byte[] encoded = rows.encoded(message);
        bounds.read(encoded.length);
        MessageSummary summary = matcher.match(
                rows.message(subscription.address(), message, encoded),
                message.sequence(),
                message.bodyBytes(),
                MessageRows.place(inRing));
        if (summary != null) {
            found.add(summary);
        }
    }
}

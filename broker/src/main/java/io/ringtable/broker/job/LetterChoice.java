package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Decides which letters a job is given: those that it wants, that came before it began, and that have somewhere to go.
 * The others stay where they are, and cost the job a bit of memory if they have nowhere to go.
 * <p>
 * Thread: dispatcher; any reads how many have nowhere to go.
 */
final class LetterChoice implements Consumer.Choice {
    private final long before;
    private final Selector filter;
    private final LetterRoute route;
    private final Roaring64Bitmap left = new Roaring64Bitmap(); // have nowhere to go
    private volatile long leftCount; // written by dispatcher, read by jobs
    private volatile String firstReason; // written by dispatcher, read by jobs

    /**
     * @param before letters of this sequence and above came after the job began
     * @param filter null = every letter
     */
    LetterChoice(long before, Selector filter, LetterRoute route) {
        this.before = before;
        this.filter = filter;
        this.route = route;
    }

    @Override
    public boolean mayHave(Message letter, long sequence) {
        if (sequence >= before || !left.isEmpty() && left.contains(sequence)) {
            return false;
        }
        if (filter != null && !filter.matches(letter)) {
            return false;
        }
        if (route.isOne()) {
            return true;
        }
        Refusal refusal = route.of(letter).refusal();
        if (refusal != null) {
            leave(sequence, refusal);
        }
        return refusal == null;
    }

    private void leave(long sequence, Refusal why) {
        if (firstReason == null) {
            firstReason = why.toString();
        }
        left.addLong(sequence);
        leftCount = leftCount + 1;
    }

    /** Returns how many letters have nowhere to go. */
    long left() {
        return leftCount;
    }

    /** Returns why the first of them has nowhere to go; null if there is none. */
    String firstReason() {
        return firstReason;
    }
}

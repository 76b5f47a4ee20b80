package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the letters of a queue by where they came from and why, in one pass that takes nothing.
 * <p>
 * Thread: jobs.
 */
public final class LetterSurvey {
    /** The most groups that are kept apart. */
    private static final int GROUPS_MAX = 1_000;

    /**
     * Shows what a pass found.
     *
     * @param letters how many it looked at
     * @param complete false if there are more letters, or more groups
     */
    public record Found(List<LetterGroup> groups, long letters, boolean complete) {}

    /**
     * Counts letters that came from the same address for the same reason.
     *
     * @param origin null if the messages do not say that they died
     * @param reason null as well
     * @param oldest when the first of them died, or was published
     */
    public record LetterGroup(String queue, String origin, String reason, long count, Instant oldest, Instant newest) {}

    private record Key(String origin, String reason) {}

    private static final class Tally {
        private long count;
        private long oldest = Long.MAX_VALUE;
        private long newest;
    }

    private final String queue;
    private final MessageFormat format;
    private final LetterSource source;
    private final long lettersMax;
    private final CompletableFuture<Found> answer;
    private final Map<Key, Tally> tallies = new HashMap<>();
    private long letters;
    private boolean complete = true;

    /** Begins. @param lettersMax how many letters it looks at */
    LetterSurvey(
            JobDoors doors, Subscription queue, long lettersMax, Mailbox mailbox, CompletableFuture<Found> answer) {
        this.queue = queue.address().name();
        this.format = doors.format();
        this.lettersMax = lettersMax;
        this.answer = answer;
        this.source = LetterSource.looking(doors.shard().dispatcher(), queue, null, mailbox);
    }

    /** Takes one turn. @return how much was done */
    int doWork() {
        int worked = source.poll();
        for (Delivery next; letters < lettersMax && (next = source.peek()) != null; letters++) {
            source.remove();
            count(next.message());
            source.seen(next);
        }
        if (source.refusal() != null) {
            fail(source.refusal());
        } else if (source.peek() != null) {
            complete = false;
            end();
        } else if (source.isExhausted()) {
            end();
        } else {
            source.credit(LetterSource.LETTERS_MAX);
            source.ask();
        }
        return worked;
    }

    private void count(Message letter) {
        LetterOrigin origin = format.origin(letter.encoded());
        Key key = origin == null ? new Key(null, null) : new Key(origin.address(), origin.reason());
        Tally tally = tallies.get(key);
        if (tally == null) {
            if (tallies.size() >= GROUPS_MAX) {
                complete = false;
                return;
            }
            tally = new Tally();
            tallies.put(key, tally);
        }
        tally.count++;
        tally.oldest = Math.min(tally.oldest, letter.publishedAt()); // a letter is published when it dies
        tally.newest = Math.max(tally.newest, letter.publishedAt());
    }

    private void end() {
        source.end();
        List<LetterGroup> groups = tallies.entrySet().stream()
                .map(each -> new LetterGroup(
                        queue,
                        each.getKey().origin(),
                        each.getKey().reason(),
                        each.getValue().count,
                        Instant.ofEpochMilli(each.getValue().oldest),
                        Instant.ofEpochMilli(each.getValue().newest)))
                .sorted(Comparator.comparingLong(LetterGroup::count).reversed())
                .toList();
        answer.complete(new Found(groups, letters, complete));
    }

    void fail(Refusal why) {
        source.end();
        answer.completeExceptionally(new Refusal.Refused(why));
    }

    boolean isOver() {
        return answer.isDone();
    }
}

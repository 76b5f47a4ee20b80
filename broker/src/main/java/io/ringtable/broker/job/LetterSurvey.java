package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the letters of a queue by where they came from and why, and by the hour if asked, in one pass that takes
 * nothing.
 * <p>
 * Thread: jobs.
 */
public final class LetterSurvey {
    /** The most groups of a queue; with hours, the most that have an hour, and the most that have none. */
    private static final int GROUPS_MAX = 1_000;

    /**
     * Shows what a pass found.
     *
     * @param letters how many it looked at
     * @param complete false if there are more letters, or more groups
     */
    public record Found(List<LetterGroup> groups, long letters, boolean complete) {}

    /**
     * Counts letters that came from the same address for the same reason, perhaps in the same hour.
     *
     * @param origin null if the messages do not say that they died
     * @param reason null as well
     * @param hour the hour's beginning; null if hours do not count, or for what came before those that are kept apart
     * @param oldest when the first of them died, or was published
     */
    public record LetterGroup(
            String queue, String origin, String reason, Instant hour, long count, Instant oldest, Instant newest) {}

    private final String queue;
    private final MessageFormat format;
    private final LetterSource source;
    private final long lettersMax;
    private final CompletableFuture<Found> answer;
    private final LetterTallies tallies;
    private long letters;

    /**
     * Begins.
     *
     * @param lettersMax how many letters it looks at
     * @param hourly whether hours are counted apart
     */
    LetterSurvey(
            JobDoors doors,
            Subscription queue,
            long lettersMax,
            boolean hourly,
            Mailbox mailbox,
            CompletableFuture<Found> answer) {
        this.queue = queue.address().name();
        this.format = doors.format();
        this.lettersMax = lettersMax;
        this.tallies = new LetterTallies(hourly, GROUPS_MAX);
        this.answer = answer;
        this.source = LetterSource.looking(doors.home().dispatcher(), queue, null, mailbox);
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
            end(false);
        } else if (source.isExhausted()) {
            end(true);
        } else {
            source.credit(LetterSource.LETTERS_MAX);
            source.ask();
        }
        return worked;
    }

    private void count(Message letter) {
        LetterOrigin origin = format.origin(letter.encoded());
        long at = letter.publishedAt(); // a letter is published when it dies
        tallies.count(origin == null ? null : origin.address(), origin == null ? null : origin.reason(), at);
    }

    /** @param all whether there are no more letters */
    private void end(boolean all) {
        source.end();
        answer.complete(new Found(tallies.groups(queue), letters, all && tallies.isComplete()));
    }

    void fail(Refusal why) {
        source.end();
        answer.completeExceptionally(new Refusal.Refused(why));
    }

    boolean isOver() {
        return answer.isDone();
    }
}

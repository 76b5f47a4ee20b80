package io.ringtable.broker.job;

import java.time.Instant;
import java.util.Objects;

/**
 * Says what a job does, and with which messages.
 *
 * @param from name of the address whose messages it takes or shows
 * @param subscription id of the topic's subscription that owes them; 0 for a queue
 * @param to name of the address that gets them; null = each goes back to where it came from, or nobody gets any
 * @param selector as of Jakarta Messaging; null = every message
 * @param reason why the letters died, or what that begins with if the last character is {@code *}; null = any
 * @param origin name of the address that the letters came from; null = any
 * @param since earliest time of publishing, in ms; a letter is published when it dies; null = any
 * @param until latest time of publishing, as {@code since}; null = any
 * @param rate most messages per second; 0 = as fast as it goes
 * @param max most messages that are done; 0 = all
 * @param dryRun whether it only counts
 * @param by who wants it; empty = there are no users
 */
public record JobRequest(
        Action action,
        String from,
        long subscription,
        String to,
        String selector,
        String reason,
        String origin,
        Instant since,
        Instant until,
        int rate,
        long max,
        boolean dryRun,
        String by) {

    /** Tells what becomes of each message. */
    public enum Action {
        /** Goes back to where it came from, or elsewhere, without what says that it died. */
        REDRIVE,
        /** Goes to another address as it is. */
        MOVE,
        /** Goes to another address as it is, and stays. */
        COPY,
        DELETE
    }

    public JobRequest {
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(by, "by");
    }

    /** Returns the same request for another subscription, which reads another part of the topic. */
    public JobRequest of(long other) {
        return new JobRequest(action, from, other, to, selector, reason, origin, since, until, rate, max, dryRun, by);
    }

    /** Tells whether the messages leave their queue or subscription. */
    boolean takes() {
        return !dryRun && action != Action.COPY;
    }
}

package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Message;

/**
 * Wants letters by when and why they died and where they came from, and of those what a selector wants. A message that
 * did not die counts by when it was published.
 * <p>
 * Thread: any.
 */
final class LetterFilter implements Selector {
    private static final String ANY_REST = "*";

    private final Selector selector;
    private final String reason;
    private final String origin;
    private final long since; // ms since the epoch, as until
    private final long until;
    private final MessageFormat format;

    private LetterFilter(JobRequest request, Selector selector, MessageFormat format) {
        this.selector = selector;
        this.reason = request.reason();
        this.origin = request.origin();
        this.since = since(request);
        this.until = until(request);
        this.format = format;
    }

    /** Returns what wants the messages of a request; null = every message. @param selector null = every message */
    static Selector of(JobRequest request, Selector selector, MessageFormat format) {
        boolean selectorSaysAll = request.reason() == null
                && request.origin() == null
                && request.since() == null
                && request.until() == null;
        return selectorSaysAll ? selector : new LetterFilter(request, selector, format);
    }

    /** Returns the earliest time that is wanted, in ms since the epoch. @throws ArithmeticException beyond ms */
    static long since(JobRequest request) {
        return request.since() == null ? Long.MIN_VALUE : request.since().toEpochMilli();
    }

    /** Returns the latest time that is wanted, in ms since the epoch. @throws ArithmeticException beyond ms */
    static long until(JobRequest request) {
        return request.until() == null ? Long.MAX_VALUE : request.until().toEpochMilli();
    }

    @Override
    public String text() {
        return selector == null ? "" : selector.text();
    }

    @Override
    public boolean matches(Message message) {
        return message.publishedAt() >= since
                && message.publishedAt() <= until
                && isFromThere(message)
                && (selector == null || selector.matches(message));
    }

    private boolean isFromThere(Message message) {
        if (origin == null && reason == null) {
            return true;
        }
        LetterOrigin its = format.origin(message.encoded());
        return its != null
                && (origin == null || origin.equals(its.address()))
                && (reason == null || isReason(its.reason()));
    }

    private boolean isReason(String its) {
        return reason.endsWith(ANY_REST)
                ? its.startsWith(reason.substring(0, reason.length() - ANY_REST.length()))
                : its.equals(reason);
    }
}

package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Message;

/** Wants letters by where they came from and why they died, and of those what a selector wants. Thread: any. */
final class LetterFilter implements Selector {
    private static final String ANY_REST = "*";

    private final Selector selector;
    private final String reason;
    private final String origin;
    private final MessageFormat format;

    /**
     * @param selector null = every message
     * @param reason as {@link JobRequest#reason}; null = any
     * @param origin null = any
     */
    LetterFilter(Selector selector, String reason, String origin, MessageFormat format) {
        this.selector = selector;
        this.reason = reason;
        this.origin = origin;
        this.format = format;
    }

    @Override
    public String text() {
        return selector == null ? "" : selector.text();
    }

    @Override
    public boolean matches(Message message) {
        LetterOrigin its = format.origin(message.encoded());
        return its != null
                && (origin == null || origin.equals(its.address()))
                && (reason == null || isReason(its.reason()))
                && (selector == null || selector.matches(message));
    }

    private boolean isReason(String its) {
        return reason.endsWith(ANY_REST)
                ? its.startsWith(reason.substring(0, reason.length() - ANY_REST.length()))
                : its.equals(reason);
    }
}

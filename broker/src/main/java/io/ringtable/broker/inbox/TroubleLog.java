package io.ringtable.broker.inbox;

import org.slf4j.Logger;

/**
 * Logs one line for a trouble that lasts, however often it shows.
 * <p>
 * Thread: one.
 */
final class TroubleLog {
    private final Logger log;
    private boolean told;

    TroubleLog(Logger log) {
        this.log = log;
    }

    /** Logs the text, unless it has logged one since the last trouble was over. */
    void tell(String text) {
        if (!told) {
            told = true;
            log.warn(text);
        }
    }

    void over() {
        told = false;
    }
}

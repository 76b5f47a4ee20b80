package io.ringtable.broker.dispatch.explain;

/**
 * Says why nothing is given now.
 *
 * @param text one sentence for people, with the values
 * @param until when that ends by itself, in ms since the epoch; 0 = unknown
 */
public record Why(Reason reason, String text, long until) {
    static Why of(Reason reason, String text) {
        return new Why(reason, text, 0);
    }

    /** Returns what to do, in a few words. */
    public String cure() {
        return reason.cure();
    }
}

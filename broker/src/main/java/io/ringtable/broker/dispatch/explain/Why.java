package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.message.Printable;

/**
 * Says why nothing is given now.
 *
 * @param text one sentence for people, with the values
 * @param until when that ends by itself, in ms since the epoch; 0 = unknown
 */
public record Why(Reason reason, String text, long until) {
    public Why {
        text = Printable.text(text); // names of clients are in it
    }

    static Why of(Reason reason, String text) {
        return new Why(reason, text, 0);
    }

    /** Returns what to do, in a few words. */
    public String cure() {
        return reason.cure();
    }
}

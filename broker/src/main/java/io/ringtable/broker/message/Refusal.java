package io.ringtable.broker.message;

/**
 * Tells why the broker did not do what a client asked.
 *
 * @param code stable, {@code RT-nnnn}
 * @param text what failed, the values, the cure; does not repeat the code
 */
public record Refusal(Reason reason, String code, String text) {

    public Refusal {
        text = Printable.text(text); // the text has names and ids of peers, and goes to other peers and into the log
    }

    /** Tells what the client can conclude; the AMQP layer maps each reason to a condition. */
    public enum Reason {
        /** Means that a bound is reached: address full, too many addresses, store without room. */
        LIMIT,
        /** Means that the address or subscription does not exist and may not be created. */
        NOT_FOUND,
        /** Means that the address or subscription exists as something else. */
        NOT_ALLOWED,
        /** Means that the client's user has no right to it. */
        NOT_PERMITTED,
        /** Means that a client is using the address or subscription. */
        IN_USE,
        /** Means that the request is not well formed: a selector, a name. */
        INVALID,
        /** Means that an earlier message was refused: the client may send this one again, and it may pass. */
        OUT_OF_ORDER,
        /** Means that the broker cannot serve now and closes: the client connects again, perhaps elsewhere. */
        UNAVAILABLE
    }

    @Override
    public String toString() {
        return code + " " + text;
    }

    /** Carries a refusal where a future must fail. */
    public static class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Refusal refusal;

        public Refused(Refusal refusal) {
            super(refusal.toString(), null, false, false);
            this.refusal = refusal;
        }

        public Refusal refusal() {
            return refusal;
        }
    }
}

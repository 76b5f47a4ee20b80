package io.ringtable.broker.message;

/**
 * Why the broker did not do what a client asked.
 *
 * @param code stable, {@code RT-nnnn}
 * @param text what failed, the values, the cure; does not repeat the code
 */
public record Refusal(Reason reason, String code, String text) {

    public Refusal {
        text = Printable.text(text); // it has names and ids of peers, and goes to other peers and into the log
    }

    /** What the client can conclude; the AMQP layer maps each to a condition. */
    public enum Reason {
        /** A bound is reached: address full, too many addresses, store without room. */
        LIMIT,
        /** There is no such address or subscription, and it may not be created. */
        NOT_FOUND,
        /** It exists as something else. */
        NOT_ALLOWED,
        /** Somebody is using it. */
        IN_USE,
        /** What was sent is not well formed: a selector, a name. */
        INVALID,
        /** A message before it was refused: send it again, it may pass then. */
        OUT_OF_ORDER,
        /** The broker cannot serve now and closes: connect again, perhaps elsewhere. */
        UNAVAILABLE
    }

    @Override
    public String toString() {
        return code + " " + text;
    }

    /** A refusal where a future must fail. */
    public static final class Refused extends RuntimeException {
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

package io.ringtable.broker.trace;

/**
 * Hears of the steps of sampled messages.
 * <p>
 * Thread: any; nothing here blocks or exports.
 */
public interface MessageTraces {

    /** Tells whether anybody wants to know; the same at every call. If not, the broker reads no context. */
    boolean isOn();

    /**
     * Decides whether the broker records the trace of one more sampled message, which counts against the bound of a
     * second. A message that is passed over has no spans from here on.
     */
    boolean admits();

    /** Returns how many sampled messages were passed over since the start. */
    long passedOver();

    /** Takes a step that has ended. Drops it, and counts it, if steps end faster than they are written. */
    void ended(TracedStep step);

    /** Returns how many steps were dropped since the start. */
    long dropped();

    MessageTraces OFF = new MessageTraces() {
        @Override
        public boolean isOn() {
            return false;
        }

        @Override
        public boolean admits() {
            return false;
        }

        @Override
        public long passedOver() {
            return 0;
        }

        @Override
        public void ended(TracedStep step) {}

        @Override
        public long dropped() {
            return 0;
        }
    };
}

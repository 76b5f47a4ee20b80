package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.BrokerSettings;
import java.io.IOException;

/** One way to take more than one's part. Thread: {@link #attackers()} of them, each with its own number. */
interface Attack {
    /** Changes what has to be different from a broker of the default configuration. */
    default BrokerSettings configure(BrokerSettings settings) {
        return settings;
    }

    /** Whether the broker has {@link GreedUsers}, so that everybody has to log in. */
    default boolean hasUsers() {
        return false;
    }

    /** The number of threads that go round at once. */
    default int attackers() {
        return 1;
    }

    /** Lays the ground before anything is measured. */
    default void prepare(Victim victim) throws IOException {}

    /**
     * Attacks once; it is repeated until the time is over.
     *
     * @throws IOException if the broker ended a connection, which it is free to do
     */
    void round(Victim victim, int attacker) throws IOException;

    Bite bite();

    /** A promise about this attack that the deeds break, beside what the honest client feels; empty if they keep it. */
    default String violation(Deeds deeds) {
        return "";
    }
}

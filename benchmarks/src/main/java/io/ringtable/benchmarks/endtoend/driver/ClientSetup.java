package io.ringtable.benchmarks.endtoend.driver;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Says what clients do beside sending and receiving.
 *
 * @param user as whom they log in; null = they do not
 * @param sampledOneIn one of so many messages says that its trace is recorded; 0 = none says anything
 */
public record ClientSetup(String user, String password, int sampledOneIn) {
    /** Clients without a login and without traces. */
    public static final ClientSetup PLAIN = new ClientSetup(null, null, 0);

    static final String TRACEPARENT = "traceparent";

    /** Returns the trace context of the next message (W3C Trace Context, version 00); null = none. */
    String nextTraceparent() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (sampledOneIn == 0 || random.nextInt(sampledOneIn) != 0) {
            return null;
        }
        return String.format("00-%016x%016x-%016x-01", random.nextLong() | 1, random.nextLong(), random.nextLong() | 1);
    }
}

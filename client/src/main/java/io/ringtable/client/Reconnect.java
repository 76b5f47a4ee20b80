package io.ringtable.client;

import java.time.Duration;
import java.util.Objects;

/**
 * Says how a client comes back after its connection was lost: first delay, growth, longest delay, and when it gives up.
 *
 * @param firstDelay delay before the first attempt; each delay is spread by up to a quarter, so that clients do not
 *     come in step
 * @param factor factor by which the delay grows with each round through the URIs; at least 1
 * @param longestDelay bound of the growth
 * @param giveUpAfter time without a connection after which everything outstanding fails and the client is closed;
 *     {@link #FOREVER} = never, {@link Duration#ZERO} = at once
 */
public record Reconnect(Duration firstDelay, double factor, Duration longestDelay, Duration giveUpAfter) {

    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Tries after 100 ms, doubling up to 10 s, for ever, as JMS clients with fail-over do. */
    public static final Reconnect DEFAULT = new Reconnect(Duration.ofMillis(100), 2, Duration.ofSeconds(10), FOREVER);

    /** @throws RingtableException RT-5001 if a value is out of its range */
    public Reconnect {
        Objects.requireNonNull(firstDelay, "firstDelay");
        Objects.requireNonNull(longestDelay, "longestDelay");
        Objects.requireNonNull(giveUpAfter, "giveUpAfter");
        if (firstDelay.isNegative() || firstDelay.isZero()) {
            throw RingtableException.configuration(
                    "reconnect firstDelay=" + firstDelay + " is not positive", "raise it");
        }
        if (!(factor >= 1)) {
            throw RingtableException.configuration("reconnect factor=" + factor + " < 1", "use 1 or more");
        }
        if (longestDelay.compareTo(firstDelay) < 0) {
            throw RingtableException.configuration(
                    "reconnect longestDelay=" + longestDelay + " < firstDelay=" + firstDelay, "raise longestDelay");
        }
        if (giveUpAfter.isNegative()) {
            throw RingtableException.configuration("reconnect giveUpAfter=" + giveUpAfter + " < 0", "use 0 or more");
        }
    }

    /** Fails everything outstanding at once when the connection is lost. */
    public static Reconnect never() {
        return DEFAULT.giveUpAfter(Duration.ZERO);
    }

    public Reconnect firstDelay(Duration value) {
        return new Reconnect(value, factor, longestDelay, giveUpAfter);
    }

    public Reconnect longestDelay(Duration value) {
        return new Reconnect(firstDelay, factor, value, giveUpAfter);
    }

    public Reconnect giveUpAfter(Duration value) {
        return new Reconnect(firstDelay, factor, longestDelay, value);
    }
}

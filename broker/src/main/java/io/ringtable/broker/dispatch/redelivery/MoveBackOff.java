package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.message.Address;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets messages rest that should leave their address and cannot. All messages of an address rest for the same time,
 * which doubles with each vain attempt. The log has a line for each attempt, not for each message.
 * <p>
 * Thread: dispatcher; any reads {@link #all}.
 */
public final class MoveBackOff {
    private static final Logger LOG = LoggerFactory.getLogger(MoveBackOff.class);

    private static final long DELAY_MS = 1_000;
    private static final long DELAY_MAX_MS = 60_000;

    /** @param delayMs length of the rest that ends at {@code untilMs} */
    private record Rest(StuckAddress stuck, long delayMs, long untilMs) {
        boolean isForgotten(long now) {
            return now > untilMs + DELAY_MAX_MS;
        }
    }

    /** Holds the rests by id of the address. Written by dispatcher, read by status. */
    private final Map<Long, Rest> rests = new ConcurrentHashMap<>();

    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    public MoveBackOff(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /**
     * Has a message of the address rest.
     *
     * @return the end of the rest, in ms since the epoch
     */
    long restUntil(Address address, String why) {
        long now = clockMs.getAsLong();
        Rest last = rests.get(address.id());
        if (last != null && now < last.untilMs()) {
            rests.put(address.id(), new Rest(last.stuck().oneMore(), last.delayMs(), last.untilMs()));
            return last.untilMs();
        }
        boolean again = last != null && now < last.untilMs() + DELAY_MAX_MS;
        long delay = again ? Math.min(DELAY_MAX_MS, 2 * last.delayMs()) : DELAY_MS;
        long before = again ? last.stuck().messages() : 0;
        rests.values().removeIf(rest -> rest.isForgotten(now));
        LOG.warn(
                "RT-2342 messages of {} cannot leave it and rest there for {} ms, {} since the last line: {}",
                address,
                delay,
                again ? before : 1,
                why);
        rests.put(address.id(), new Rest(new StuckAddress(address.name(), 1, why), delay, now + delay));
        return now + delay;
    }

    /** Ends the rest of an address that a message has left. */
    public void over(Address address) {
        if (!rests.isEmpty()) {
            rests.remove(address.id());
        }
    }

    /**
     * Returns why messages of the address rest that should leave it; null if they do not now. Thread: any.
     *
     * @param until end of the rest that is asked about, in ms since the epoch; 0 = unknown
     */
    public StuckAddress of(Address address, long until) {
        Rest rest = rests.get(address.id());
        boolean isThatRest = rest != null && (until == 0 || rest.untilMs() == until);
        return isThatRest && rest.untilMs() > clockMs.getAsLong() ? rest.stuck() : null;
    }

    /** Returns the addresses whose messages rest, or did so a moment ago. Thread: any. */
    public List<StuckAddress> all() {
        long now = clockMs.getAsLong();
        return rests.values().stream()
                .filter(rest -> !rest.isForgotten(now))
                .map(Rest::stuck)
                .toList();
    }
}

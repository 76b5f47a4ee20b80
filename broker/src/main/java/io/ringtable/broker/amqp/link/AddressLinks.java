package io.ringtable.broker.amqp.link;

import io.ringtable.broker.message.Address;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many links publish to an address or receive from it, all connections together.
 * <p>
 * Thread: any.
 */
public final class AddressLinks {
    private final ConcurrentHashMap<Address, Integer> counts = new ConcurrentHashMap<>();

    public void attached(Address address) {
        counts.merge(address, 1, Integer::sum);
    }

    public void ended(Address address) {
        counts.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }

    public int of(Address address) {
        return counts.getOrDefault(address, 0);
    }
}

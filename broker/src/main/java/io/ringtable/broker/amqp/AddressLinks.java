package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Address;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many links publish to an address or receive from it, all connections together.
 * <p>
 * Thread: any.
 */
final class AddressLinks {
    private final ConcurrentHashMap<Address, Integer> counts = new ConcurrentHashMap<>();

    void attached(Address address) {
        counts.merge(address, 1, Integer::sum);
    }

    void ended(Address address) {
        counts.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }

    int of(Address address) {
        return counts.getOrDefault(address, 0);
    }
}

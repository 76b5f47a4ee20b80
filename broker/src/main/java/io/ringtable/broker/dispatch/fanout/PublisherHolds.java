package io.ringtable.broker.dispatch.fanout;

import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.message.Address;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Holds a topic's publishers while a volatile subscription of it has no room, as it has no store to fall back to.
 * Publishers get no credit, and what they have published already waits in {@link FanOut}.
 * <p>
 * Bounded by messages for each subscription and by bytes for all together; while the bytes are used up, whoever has a
 * message waiting holds its topic until it has none.
 * <p>
 * Thread: dispatcher.
 */
public final class PublisherHolds {
    private final MemoryBudget budget;
    private final int messagesMax;
    private final Consumer<Address> released;
    private final Map<Long, Integer> holding = new HashMap<>(); // subscriptions that hold it, by address

    /** @param released hears of an address that nobody holds any more */
    public PublisherHolds(MemoryBudget budget, int messagesMax, Consumer<Address> released) {
        this.budget = budget;
        this.messagesMax = messagesMax;
        this.released = released;
    }

    public boolean holds(Address address) {
        return !holding.isEmpty() && holding.containsKey(address.id());
    }

    public void holdIfFull(SubscriptionState state) {
        boolean full = state.owed().inMemory() > messagesMax || !budget.hasRoom();
        if (full && state.holdPublishers()) {
            Address address = state.subscription().address();
            holding.merge(address.id(), 1, Integer::sum);
            address.quota().hold();
        }
    }

    public void resumeIfRoom(SubscriptionState state) {
        int waiting = state.owed().inMemory();
        if (state.holdsPublishers() && (waiting == 0 || waiting <= messagesMax / 2 && budget.hasRoom())) {
            letGo(state);
        }
    }

    public void letGo(SubscriptionState state) {
        if (state.letPublishersGo()) {
            Address address = state.subscription().address();
            address.quota().resume();
            if (holding.merge(address.id(), -1, PublisherHolds::sumOrNothing) == null) {
                released.accept(address);
            }
        }
    }

    private static Integer sumOrNothing(int one, int other) {
        return one + other == 0 ? null : one + other;
    }
}

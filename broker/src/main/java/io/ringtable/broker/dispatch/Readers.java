package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.commit.Committed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Who reads which address.
 * <p>
 * Thread: dispatcher.
 */
final class Readers {
    private final AddressPolicies policies;
    private final MemoryBudget budget;
    private final int windowMax;
    private final Map<Long, List<SubscriptionState>> byAddress = new HashMap<>();
    private final Map<Long, SubscriptionState> byId = new HashMap<>();

    Readers(AddressPolicies policies, MemoryBudget budget, int windowMax) {
        this.policies = policies;
        this.budget = budget;
        this.windowMax = windowMax;
    }

    void add(Address address) {
        byAddress.computeIfAbsent(address.id(), id -> new ArrayList<>());
    }

    SubscriptionState add(Subscription subscription) {
        add(subscription.address());
        SubscriptionState state = new SubscriptionState(
                subscription,
                policies.ofReader(subscription.address().name()),
                new OwedSet(budget, windowMax, subscription.isStored(), subscription.fromSequence()));
        byId.put(subscription.id(), state);
        byAddress.get(subscription.address().id()).add(state);
        return state;
    }

    /** A volatile subscription of a topic begins with its first consumer. @return null if the topic is gone */
    SubscriptionState addVolatile(Subscription subscription) {
        SubscriptionState existing = byId.get(subscription.id());
        boolean begins =
                existing == null && byAddress.containsKey(subscription.address().id());
        return begins ? add(subscription) : existing;
    }

    /** @return who read it */
    List<SubscriptionState> remove(Address address) {
        List<SubscriptionState> states = byAddress.remove(address.id());
        if (states == null) {
            return List.of();
        }
        states.forEach(state -> byId.remove(state.subscription().id()));
        return states;
    }

    SubscriptionState remove(Subscription subscription) {
        SubscriptionState state = byId.remove(subscription.id());
        if (state != null) {
            byAddress.get(subscription.address().id()).remove(state);
        }
        return state;
    }

    /** Null if it is gone. */
    SubscriptionState find(Subscription subscription) {
        return byId.get(subscription.id());
    }

    /** Null if it is gone. */
    SubscriptionState stored(long subscriptionId) {
        return byId.get(subscriptionId);
    }

    /** What recovery found to be damaged. */
    void forEachDamaged(DamageConsumer action) {
        for (SubscriptionState state : byId.values()) {
            if (state.damage != null) {
                action.accept(state, state.damage.sequence(), state.damage.reason());
            }
        }
    }

    /** Hears of a damaged message. */
    @FunctionalInterface
    interface DamageConsumer {
        void accept(SubscriptionState state, long sequence, String reason);
    }

    void forEachStored(Consumer<SubscriptionState> action) {
        for (SubscriptionState state : byId.values()) {
            if (state.subscription().isStored()) {
                action.accept(state);
            }
        }
    }

    /** Everybody to whom a committed message belongs. */
    void forEach(Committed message, BiConsumer<SubscriptionState, Committed> action) {
        List<SubscriptionState> states =
                byAddress.get(message.message().address().id());
        if (states == null) {
            return;
        }
        for (int i = 0; i < states.size(); i++) {
            SubscriptionState state = states.get(i);
            Subscription subscription = state.subscription();
            boolean belongs = subscription.isStored()
                    ? message.sequence() >= 0
                            && subscription.owes(message.sequence(), message.group(), message.pending())
                    : message.first() && subscription.wants(message.message());
            if (belongs) {
                action.accept(state, message);
            }
        }
    }
}

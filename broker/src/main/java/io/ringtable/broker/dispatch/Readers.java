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
    private final Map<Long, OfAddress> byAddress = new HashMap<>();
    private final Map<Long, SubscriptionState> byId = new HashMap<>();

    /** Who reads one address. */
    private static final class OfAddress {
        private final List<SubscriptionState> all = new ArrayList<>();
        private List<SubscriptionState> asked =
                List.of(); // of them, those that a message is matched with; never changed

        void add(SubscriptionState state) {
            all.add(state);
            if (isAsked(state)) {
                List<SubscriptionState> more = new ArrayList<>(asked.size() + 1);
                more.addAll(asked);
                more.add(state);
                asked = more;
            }
        }

        void remove(SubscriptionState state) {
            all.remove(state);
            if (isAsked(state)) {
                List<SubscriptionState> less = new ArrayList<>(asked);
                less.remove(state);
                asked = less;
            }
        }

        private static boolean isAsked(SubscriptionState state) {
            return !state.subscription().isStored() && state.subscription().selector() != null;
        }
    }

    Readers(AddressPolicies policies, MemoryBudget budget, int windowMax) {
        this.policies = policies;
        this.budget = budget;
        this.windowMax = windowMax;
    }

    void add(Address address) {
        byAddress.computeIfAbsent(address.id(), id -> new OfAddress());
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
        OfAddress readers = byAddress.remove(address.id());
        if (readers == null) {
            return List.of();
        }
        readers.all.forEach(state -> byId.remove(state.subscription().id()));
        return readers.all;
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

    /** Whether it has not ended. */
    boolean isThere(SubscriptionState state) {
        return byId.get(state.subscription().id()) == state;
    }

    /** Those of the address that have no store and a selector; the list is as it is now for ever. */
    List<SubscriptionState> asked(Address address) {
        OfAddress readers = byAddress.get(address.id());
        return readers == null ? List.of() : readers.asked;
    }

    /** Everybody to whom a committed message belongs, except those who have to be {@link #asked}. */
    void forEach(Committed message, BiConsumer<SubscriptionState, Committed> action) {
        OfAddress readers = byAddress.get(message.message().address().id());
        if (readers == null || readers.all.size() == readers.asked.size()) {
            return;
        }
        for (int i = 0; i < readers.all.size(); i++) {
            SubscriptionState state = readers.all.get(i);
            if (belongs(message, state.subscription())) {
                action.accept(state, message);
            }
        }
    }

    private static boolean belongs(Committed message, Subscription subscription) {
        return subscription.isStored()
                ? message.sequence() >= 0 && subscription.owes(message.sequence(), message.group(), message.pending())
                : message.first() && subscription.selector() == null && subscription.wants(message.message());
    }
}

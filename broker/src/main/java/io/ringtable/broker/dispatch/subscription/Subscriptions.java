package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.dispatch.owed.OwedSet;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.work.Committed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Knows every subscription that consumers may read, by its id and by its address.
 * <p>
 * Thread: dispatcher.
 */
public final class Subscriptions {
    private static final SubscriptionState[] NOBODY = new SubscriptionState[RingGeometry.BITS];

    private AddressPolicies policies;
    private final MemoryBudget budget;
    private final int inMemoryMax;
    private final Map<Long, OfAddress> byAddress = new HashMap<>();
    private final Map<Long, SubscriptionState> byId = new HashMap<>();
    private final TreeMap<Long, SubscriptionState> notStored = new TreeMap<>(); // by the negative of its id

    /** Holds the subscriptions of one address. */
    private static final class OfAddress {
        private final List<SubscriptionState[]> stored = new ArrayList<>(1); // by group and bit
        private List<SubscriptionState> notStored = List.of(); // a list never changes: a new one replaces it

        void add(SubscriptionState state) {
            if (state.subscription().isStored()) {
                while (stored.size() <= state.subscription().group()) {
                    stored.add(new SubscriptionState[RingGeometry.BITS]);
                }
                stored.get(state.subscription().group())[state.subscription().bit()] = state;
            } else {
                List<SubscriptionState> more = new ArrayList<>(notStored.size() + 1);
                more.addAll(notStored);
                more.add(state);
                notStored = more;
            }
        }

        void remove(SubscriptionState state) {
            if (state.subscription().isStored()) {
                SubscriptionState[] group = stored.get(state.subscription().group());
                if (group[state.subscription().bit()] == state) {
                    group[state.subscription().bit()] = null;
                }
            } else {
                List<SubscriptionState> less = new ArrayList<>(notStored);
                less.remove(state);
                notStored = less;
            }
        }

        void forEachOwed(Committed message, BiConsumer<SubscriptionState, Committed> action) {
            SubscriptionState[] group = message.group() < stored.size() ? stored.get(message.group()) : NOBODY;
            for (long bits = message.pending(); bits != 0; bits &= bits - 1) {
                SubscriptionState state = group[Long.numberOfTrailingZeros(bits)];
                if (state != null
                        && state.subscription().owes(message.sequence(), message.group(), message.pending())) {
                    action.accept(state, message);
                }
            }
        }

        List<SubscriptionState> all() {
            List<SubscriptionState> all = new ArrayList<>(notStored);
            for (SubscriptionState[] group : stored) {
                for (SubscriptionState state : group) {
                    if (state != null) {
                        all.add(state);
                    }
                }
            }
            return all;
        }
    }

    public Subscriptions(AddressPolicies policies, MemoryBudget budget, int inMemoryMax) {
        this.policies = policies;
        this.budget = budget;
        this.inMemoryMax = inMemoryMax;
    }

    /**
     * Replaces the policies, also for the subscriptions that exist.
     *
     * @param changed hears of each subscription that has another policy now
     */
    public void policies(AddressPolicies others, Consumer<SubscriptionState> changed) {
        policies = others;
        Map<String, AddressPolicy> known = new HashMap<>(); // an address may have many subscriptions
        for (SubscriptionState state : byId.values()) {
            AddressPolicy policy =
                    known.computeIfAbsent(state.subscription().address().name(), others::ofReader);
            if (!policy.equals(state.policy())) {
                state.policy(policy);
                changed.accept(state);
            }
        }
    }

    public void add(Address address) {
        byAddress.computeIfAbsent(address.id(), id -> new OfAddress());
    }

    public SubscriptionState add(Subscription subscription) {
        add(subscription.address());
        SubscriptionState state = new SubscriptionState(
                subscription,
                policies.ofReader(subscription.address().name()),
                new OwedSet(budget, inMemoryMax, subscription.isStored(), subscription.fromSequence()));
        byId.put(subscription.id(), state);
        if (!subscription.isStored()) {
            notStored.put(-subscription.id(), state);
        }
        byAddress.get(subscription.address().id()).add(state);
        return state;
    }

    /**
     * Adds a volatile subscription of a topic, with its first consumer.
     *
     * @return null if the topic is gone
     */
    public SubscriptionState addVolatile(Subscription subscription) {
        SubscriptionState existing = byId.get(subscription.id());
        boolean begins =
                existing == null && byAddress.containsKey(subscription.address().id());
        return begins ? add(subscription) : existing;
    }

    /** @return its subscriptions */
    public List<SubscriptionState> remove(Address address) {
        OfAddress ofAddress = byAddress.remove(address.id());
        if (ofAddress == null) {
            return List.of();
        }
        List<SubscriptionState> all = ofAddress.all();
        for (SubscriptionState state : all) {
            byId.remove(state.subscription().id());
            notStored.remove(-state.subscription().id());
            state.end();
        }
        return all;
    }

    public SubscriptionState remove(Subscription subscription) {
        SubscriptionState state = byId.remove(subscription.id());
        if (state != null) {
            notStored.remove(-subscription.id());
            byAddress.get(subscription.address().id()).remove(state);
            state.end();
        }
        return state;
    }

    /** Returns the subscription; null if it is gone. */
    public SubscriptionState find(Subscription subscription) {
        return byId.get(subscription.id());
    }

    /** Returns the subscription; null if it is gone. */
    public SubscriptionState stored(long subscriptionId) {
        return byId.get(subscriptionId);
    }

    public void forEachStored(Consumer<SubscriptionState> action) {
        for (SubscriptionState state : byId.values()) {
            if (state.subscription().isStored()) {
                action.accept(state);
            }
        }
    }

    /** Returns the subscriptions of the address that have no store. The list never changes. */
    public List<SubscriptionState> notStored(Address address) {
        OfAddress ofAddress = byAddress.get(address.id());
        return ofAddress == null ? List.of() : ofAddress.notStored;
    }

    /** Returns the subscriptions that have no store, the oldest first. @param id only later ones than that; 0 = all */
    public Collection<SubscriptionState> notStoredAfter(long id) {
        return notStored.tailMap(-id, false).values();
    }

    /** Runs the action for every stored subscription that owes a committed message. */
    public void forEachOwed(Committed message, BiConsumer<SubscriptionState, Committed> action) {
        OfAddress ofAddress = byAddress.get(message.message().address().id());
        if (ofAddress != null && message.sequence() >= 0) {
            ofAddress.forEachOwed(message, action);
        }
    }
}

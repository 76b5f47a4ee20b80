package io.ringtable.broker.dispatch.fanout;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.work.Committed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Gives committed messages to the volatile subscriptions of their topic that want them: a bounded part in each turn,
 * one address after another. So a topic with thousands of subscriptions or selectors delays its own messages alone.
 * <p>
 * While {@link PublisherHolds} holds a topic, its messages wait here, once for all subscriptions. While many bytes of a
 * topic wait here, its publishers are held as well.
 * <p>
 * Thread: dispatcher.
 */
public final class FanOut {
    /** Bounds the messages of one address before the next address has its turn. */
    private static final int MESSAGES_IN_A_ROW = 16;
    /** Divides the memory budget: a topic is held while its waiting messages take more than this part. */
    private static final int MEMORY_SHARE = 16;

    private final MemoryBudget budget;
    private final Predicate<Address> isHeld;
    private final BiConsumer<SubscriptionState, Committed> wanted;
    private final Consumer<SubscriptionState> wake;
    private final Slice slice;
    private final Map<Long, Line> moving = new LinkedHashMap<>(); // by address; none is empty
    private final Map<Long, Line> held = new HashMap<>(); // by address; none is empty
    private final List<Runnable> afterwards = new ArrayList<>();

    /** Holds a message, and the subscriptions that are not asked yet. */
    private static final class Waiting {
        private final Committed message;
        private final List<SubscriptionState> subscriptions;
        private int next;

        Waiting(Committed message, List<SubscriptionState> subscriptions) {
            this.message = message;
            this.subscriptions = subscriptions;
        }

        int weight() {
            return message.message().bytes() + Ready.OVERHEAD_BYTES;
        }
    }

    /** Holds the messages of one address, in order. */
    private static final class Line {
        private final Address address;
        private final ArrayDeque<Waiting> messages = new ArrayDeque<>();
        private final Set<SubscriptionState> waiters = new LinkedHashSet<>();
        private long bytes;
        private boolean holdsPublishers;

        Line(Address address) {
            this.address = address;
        }
    }

    /**
     * @param isHeld whether a volatile subscription holds the address
     * @param wanted gets each message that a subscription wants
     * @param wake has a subscription served that waited for {@link #awaits}
     * @param slice the part of a turn for all addresses
     */
    public FanOut(
            MemoryBudget budget,
            Predicate<Address> isHeld,
            BiConsumer<SubscriptionState, Committed> wanted,
            Consumer<SubscriptionState> wake,
            Slice slice) {
        this.budget = budget;
        this.isHeld = isHeld;
        this.wanted = wanted;
        this.wake = wake;
        this.slice = slice;
    }

    /** @param subscriptions the subscriptions to ask; the list never changes */
    public void add(Committed message, List<SubscriptionState> subscriptions) {
        Address address = message.message().address();
        Line line = held.isEmpty() ? null : held.get(address.id());
        if (line == null) {
            line = moving.computeIfAbsent(address.id(), id -> new Line(address));
        }
        Waiting waiting = new Waiting(message, subscriptions);
        line.messages.add(waiting);
        line.bytes += waiting.weight();
        budget.take(waiting.weight());
        if (!line.holdsPublishers && line.bytes > budget.max() / MEMORY_SHARE) {
            line.holdsPublishers = true;
            address.quota().hold();
        }
    }

    /** @return 1 if there was something to give out */
    public int doWork() {
        if (moving.isEmpty()) {
            return 0;
        }
        slice.begin();
        while (!moving.isEmpty() && !slice.isOver()) {
            Line first = moving.values().iterator().next();
            moving.remove(first.address.id());
            giveOut(first);
            if (first.messages.isEmpty()) {
                end(first);
            } else if (isHeld.test(first.address)) {
                held.put(first.address.id(), first);
                letWaitersGo(first); // nothing that waits here can come to them now
            } else {
                moving.put(first.address.id(), first); // the others come next
            }
        }
        if (moving.isEmpty()) {
            afterwards.forEach(Runnable::run);
            afterwards.clear();
        }
        return 1;
    }

    private void giveOut(Line line) {
        for (int n = 0; n < MESSAGES_IN_A_ROW && !line.messages.isEmpty() && !isHeld.test(line.address); n++) {
            Waiting first = line.messages.peek();
            while (first.next < first.subscriptions.size()) {
                if (slice.isOver()) {
                    return;
                }
                ask(first.subscriptions.get(first.next++), first.message);
            }
            remove(line);
        }
    }

    private void ask(SubscriptionState state, Committed message) {
        if (state.subscription().isSelective()) {
            slice.stepThrough(message.message().bytes());
        } else {
            slice.step();
        }
        if (!state.hasEnded() && state.subscription().wants(message.message())) {
            wanted.accept(state, message);
        }
    }

    private void remove(Line line) {
        int weight = line.messages.remove().weight();
        line.bytes -= weight;
        budget.give(weight);
    }

    private void end(Line line) {
        if (line.holdsPublishers) {
            line.holdsPublishers = false;
            line.address.quota().resume();
        }
        letWaitersGo(line);
    }

    private void letWaitersGo(Line line) {
        line.waiters.forEach(wake);
        line.waiters.clear();
    }

    /** Goes on with an address that no subscription holds any more. */
    public void released(Address address) {
        Line line = held.remove(address.id());
        if (line != null) {
            moving.put(address.id(), line);
        }
    }

    /** Forgets an address that is gone. */
    public void forget(Address address) {
        released(address);
        Line line = moving.remove(address.id());
        if (line != null) {
            while (!line.messages.isEmpty()) {
                remove(line);
            }
            end(line);
        }
    }

    /** Tells whether messages of the topic wait here. */
    public boolean isWaiting(Address topic) {
        return moving.containsKey(topic.id()) || held.containsKey(topic.id());
    }

    /**
     * Returns whether a message that waits here may reach the subscription on its own. If so, the subscription is
     * served again when that ends.
     */
    public boolean awaits(SubscriptionState state) {
        Line line = moving.get(state.subscription().address().id());
        if (line == null || state.subscription().isStored()) {
            return false;
        }
        line.waiters.add(state);
        return true;
    }

    /** Runs the action once no message waits any more that waits now, except those of held addresses. */
    public void afterPresent(Runnable action) {
        if (moving.isEmpty()) {
            action.run();
        } else {
            afterwards.add(action);
        }
    }
}

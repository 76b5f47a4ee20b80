package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.MessageGroup;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Knows which consumer of a subscription has which group of messages, and which messages wait for an earlier one of
 * their group. A message that rests holds up the later ones for every consumer. A message in a transaction holds them
 * up for every consumer except the group's, which has it there.
 * <p>
 * Thread: dispatcher.
 */
final class Groups {
    /**
     * Bounds the remembered groups. Above it, the groups are forgotten of which no consumer has a message; the next
     * message of such a group goes to any consumer.
     */
    private static final int OWNERS_MAX = 65_536;

    private final Map<String, Recipient> owners = new LinkedHashMap<>(16, 0.75f, true);
    private int forgetAbove = OWNERS_MAX;
    private final Held resting = new Held();
    private final Held enlisted = new Held();

    /** Holds the messages that later ones of their groups wait for. */
    private static final class Held {
        private final Map<String, TreeSet<Long>> sequences = new HashMap<>(); // by group
        private final Map<Long, String> groups = new HashMap<>(); // by sequence

        void add(MessageGroup group, long sequence) {
            if (group != null) {
                sequences.computeIfAbsent(group.id(), id -> new TreeSet<>()).add(sequence);
                groups.put(sequence, group.id());
            }
        }

        /** @return whether the message was held */
        boolean remove(long sequence) {
            String group = groups.isEmpty() ? null : groups.remove(sequence);
            if (group == null) {
                return false;
            }
            TreeSet<Long> its = sequences.get(group);
            its.remove(sequence);
            if (its.isEmpty()) {
                sequences.remove(group);
            }
            return true;
        }

        boolean holdUp(MessageGroup group, long sequence) {
            return first(group, sequence) >= 0;
        }

        /** Returns the first message that holds this one up; negative if none does. */
        long first(MessageGroup group, long sequence) {
            TreeSet<Long> its = sequences.get(group.id());
            return its != null && its.first() < sequence ? its.first() : GroupHold.NO_MESSAGE;
        }
    }

    boolean mayHave(Recipient consumer, Ready ready) {
        MessageGroup group = ready.message().group();
        if (group == null) {
            return true;
        }
        Recipient owner = owners.get(group.id());
        return (owner == null || owner == consumer)
                && !resting.holdUp(group, ready.sequence())
                && (owner == consumer || !enlisted.holdUp(group, ready.sequence()));
    }

    /** Returns what of the message's group keeps it from this consumer; null if nothing does. */
    GroupHold holdOf(Recipient consumer, Ready ready) {
        MessageGroup group = ready.message().group();
        if (group == null || mayHave(consumer, ready)) {
            return null;
        }
        Recipient owner = owners.get(group.id());
        if (owner != null && owner != consumer) {
            return new GroupHold(group.id(), owner, GroupHold.NO_MESSAGE);
        }
        long rests = resting.first(group, ready.sequence());
        return new GroupHold(group.id(), null, rests >= 0 ? rests : enlisted.first(group, ready.sequence()));
    }

    /**
     * Notes a message that was given to a consumer.
     *
     * @param all the consumers of the subscription
     * @return whether others may now have what they might not before
     */
    boolean given(Recipient consumer, Ready ready, List<? extends Recipient> all) {
        MessageGroup group = ready.message().group();
        boolean rested = resting.remove(ready.sequence());
        if (group.last()) {
            owners.remove(group.id());
            return true;
        }
        if (owners.put(group.id(), consumer) == null && owners.size() > forgetAbove) {
            forgetIdle(all);
        }
        return rested;
    }

    private void forgetIdle(List<? extends Recipient> all) {
        Set<String> busy = new HashSet<>(resting.sequences.keySet());
        busy.addAll(enlisted.sequences.keySet());
        for (Recipient consumer : all) {
            consumer.unsettled().stream()
                    .map(delivery -> delivery.message().group())
                    .filter(group -> group != null)
                    .forEach(group -> busy.add(group.id()));
        }
        int surplus = owners.size() - OWNERS_MAX / 2;
        for (var oldest = owners.keySet().iterator(); surplus > 0 && oldest.hasNext(); surplus--) {
            if (!busy.contains(oldest.next())) {
                oldest.remove();
            }
        }
        forgetAbove = Math.max(OWNERS_MAX, 2 * owners.size()); // most may be busy: search less often
    }

    /** Holds up the group of a failed message that rests. */
    void rests(Ready ready) {
        resting.add(ready.message().group(), ready.sequence());
    }

    /** Returns whether a failed message of any group rests, and holds its group up. */
    boolean isAnyResting() {
        return !resting.groups.isEmpty();
    }

    /** Holds up the group of a message that a transaction takes. */
    void enlisted(Delivery delivery) {
        enlisted.add(delivery.message().group(), delivery.sequence());
    }

    /**
     * Ends the hold of a message whose transaction has ended, or that no consumer will get any more.
     *
     * @return whether others waited for it, perhaps
     */
    boolean over(long sequence) {
        return resting.remove(sequence) | enlisted.remove(sequence);
    }

    /**
     * Forgets the groups of a consumer that has gone.
     *
     * @return whether it had any
     */
    boolean left(Recipient consumer) {
        return !owners.isEmpty() && owners.values().removeIf(owner -> owner == consumer);
    }
}

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
 * their group: one that rests, for everybody; one in a transaction, for everybody but the group's consumer, who has it
 * there.
 * <p>
 * Thread: dispatcher.
 */
final class Groups {
    /** Above it those are forgotten that nobody has anything of; whose next message goes to anybody then. */
    private static final int OWNERS_MAX = 65_536;

    private final Map<String, Recipient> owners = new LinkedHashMap<>(16, 0.75f, true);
    private int forgetAbove = OWNERS_MAX;
    private final Held resting = new Held();
    private final Held enlisted = new Held();

    /** Messages that the later ones of their groups wait for. */
    private static final class Held {
        private final Map<String, TreeSet<Long>> sequences = new HashMap<>(); // by group
        private final Map<Long, String> groups = new HashMap<>(); // by sequence

        void add(MessageGroup group, long sequence) {
            if (group != null) {
                sequences.computeIfAbsent(group.id(), id -> new TreeSet<>()).add(sequence);
                groups.put(sequence, group.id());
            }
        }

        /** @return false if it was not held */
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
            TreeSet<Long> its = sequences.get(group.id());
            return its != null && its.first() < sequence;
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

    /** @param all that read the subscription @return whether others may have now what they might not before */
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
        forgetAbove = Math.max(OWNERS_MAX, 2 * owners.size()); // most may be busy: not again for the next one
    }

    /** A failed message rests. */
    void rests(Ready ready) {
        resting.add(ready.message().group(), ready.sequence());
    }

    /** A transaction takes it. */
    void enlisted(Delivery delivery) {
        enlisted.add(delivery.message().group(), delivery.sequence());
    }

    /** Its transaction has ended, or nobody is to get it any more. @return whether others waited for it, perhaps */
    boolean over(long sequence) {
        return resting.remove(sequence) | enlisted.remove(sequence);
    }

    /** @return whether it had any */
    boolean left(Recipient consumer) {
        return !owners.isEmpty() && owners.values().removeIf(owner -> owner == consumer);
    }
}

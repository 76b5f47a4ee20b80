package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.RingGeometry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An address with its stored subscriptions, by bit.
 * <p>
 * Thread: committer changes it; the list of subscriptions is immutable and read by any.
 */
public final class AddressEntry {
    private final Address address;
    private volatile List<SubscriptionEntry> subscriptions = List.of(); // written by committer, read by any
    private SubscriptionEntry[][] byBit = {}; // [group][bit]
    private long[] held = {}; // [group]: bits that are held
    private long[] masks = {}; // [group]: those of them that a message published now is owed to
    private volatile RetainedMessages
            retained; // null unless it keeps its messages; written by committer, read by status
    private boolean sharesBodies; // bodies in overflow may be named by a message and its copies
    private final Subscription temporaryReader; // null unless it is a temporary queue
    private List<SubscriptionEntry> selective = List.of(); // those that may not want a message, by id
    private int references; // of a message published now, at most

    public AddressEntry(Address address) {
        this(address, null);
    }

    public AddressEntry(Address address, Subscription temporaryReader) {
        this.address = address;
        this.temporaryReader = temporaryReader;
    }

    public Address address() {
        return address;
    }

    public List<SubscriptionEntry> subscriptions() {
        return subscriptions;
    }

    /** The one subscription of a queue. */
    public Subscription reader() {
        return temporaryReader != null ? temporaryReader : subscriptions.get(0).subscription();
    }

    /** Bits of each group that a message published now is owed to. */
    public long[] masks() {
        return masks;
    }

    /** How many a message published now is owed to at most. */
    public int references() {
        return references;
    }

    public boolean isSelective() {
        return !selective.isEmpty();
    }

    /** Those that may not want a message, in the order of their ids; the list is as it is now for ever. */
    public List<SubscriptionEntry> selective() {
        return selective;
    }

    /** What it keeps for subscriptions to come; null if it keeps nothing. */
    public RetainedMessages retained() {
        return retained;
    }

    /** The lowest sequence that is still to be copied for somebody; {@link Long#MAX_VALUE} if nothing is. */
    public long replayPosition() {
        long lowest = Long.MAX_VALUE;
        for (SubscriptionEntry entry : subscriptions) {
            if (entry.isReplaying()) {
                lowest = Math.min(lowest, entry.replay().position());
            }
        }
        return lowest;
    }

    /** Whether a body in overflow is named by one row at most. */
    public boolean namesBodiesOnce() {
        return masks.length <= 1 && !sharesBodies;
    }

    /** Bits of the group that somebody holds. */
    public long held(int group) {
        return group < held.length ? held[group] : 0;
    }

    /** Null if nobody holds the bit. */
    public SubscriptionEntry holder(int group, int bit) {
        return group < byBit.length ? byBit[group][bit] : null;
    }

    /** The first group that has a free bit; a new one if all are full. */
    public int freeGroup() {
        int group = 0;
        while (Long.bitCount(held(group)) == RingGeometry.BITS) {
            group++;
        }
        return group;
    }

    /** The lowest free bit of a group. */
    public int freeBit(int group) {
        return Long.numberOfTrailingZeros(~held(group));
    }

    /** @param replay null unless it began at a time in the past */
    public SubscriptionEntry add(Subscription subscription, Replay replay) {
        SubscriptionEntry entry = new SubscriptionEntry(subscription, replay);
        int groups = Math.max(byBit.length, subscription.group() + 1);
        SubscriptionEntry[][] grown = new SubscriptionEntry[groups][];
        for (int group = 0; group < groups; group++) {
            grown[group] = group < byBit.length ? byBit[group] : new SubscriptionEntry[RingGeometry.BITS];
        }
        grown[subscription.group()][subscription.bit()] = entry;
        byBit = grown;
        List<SubscriptionEntry> list = new ArrayList<>(subscriptions);
        list.add(entry);
        if (subscription.isRetention()) {
            retained = new RetainedMessages(this, entry);
        }
        publish(list);
        return entry;
    }

    public void remove(Subscription subscription) {
        byBit[subscription.group()][subscription.bit()] = null;
        List<SubscriptionEntry> list = new ArrayList<>(subscriptions);
        list.removeIf(entry -> entry.subscription().equals(subscription));
        if (subscription.isRetention()) {
            retained = null;
        }
        publish(list);
    }

    /** One of them has got everything that was published before it began. */
    public void replayed() {
        publish(subscriptions);
    }

    private void publish(List<SubscriptionEntry> list) {
        subscriptions = List.copyOf(list);
        List<SubscriptionEntry> owing =
                list.stream().filter(entry -> !entry.isReplaying()).toList();
        held = bits(list);
        masks = bits(owing);
        references = owing.size();
        sharesBodies = list.stream().anyMatch(entry -> entry.replay() != null);
        selective = list.stream()
                .filter(entry -> entry.subscription().isSelective())
                .sorted(Comparator.comparingLong(entry -> entry.subscription().id()))
                .toList();
    }

    private static long[] bits(List<SubscriptionEntry> list) {
        int groups = 0;
        for (SubscriptionEntry entry : list) {
            groups = Math.max(groups, entry.subscription().group() + 1);
        }
        long[] bits = new long[groups];
        for (SubscriptionEntry entry : list) {
            bits[entry.subscription().group()] |= entry.subscription().mask();
        }
        return bits;
    }
}

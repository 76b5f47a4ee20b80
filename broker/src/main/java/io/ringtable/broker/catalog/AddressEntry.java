package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.RingGeometry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Holds an address with its stored subscriptions, by bit.
 * <p>
 * Thread: committer changes the entry; the list of subscriptions is immutable and read by any.
 */
public final class AddressEntry {
    private final Address address;
    private volatile List<SubscriptionEntry> subscriptions = List.of(); // written by committer, read by any
    private SubscriptionEntry[][] byBit = {}; // [group][bit]
    private long[] held = {}; // [group]: bits that are held
    private long[] masks = {}; // [group]: bits to which a new message is owed
    // null unless the address keeps its messages; written by committer, read by status
    private volatile RetainedMessages retained;
    private boolean sharesBodies; // whether a message and its copies may name the same body in overflow
    private final Subscription temporaryReader; // null unless the address is a temporary queue
    private List<SubscriptionEntry> selective = List.of(); // those that may not want a message, by id
    private int references; // most references of a new message

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

    /** Returns the one subscription of a queue; null if its shard is away, and was never seen. */
    public Subscription reader() {
        List<SubscriptionEntry> stored = subscriptions;
        return stored.isEmpty() ? temporaryReader : stored.get(0).subscription();
    }

    /** Returns for each group the bits to which a new message is owed. */
    public long[] masks() {
        return masks;
    }

    /** Returns how many subscriptions owe a new message at most. */
    public int references() {
        return references;
    }

    public boolean isSelective() {
        return !selective.isEmpty();
    }

    /** Returns the subscriptions that may not want a message, in the order of their ids; the list never changes. */
    public List<SubscriptionEntry> selective() {
        return selective;
    }

    /** Returns what the address keeps for later subscriptions; null if it keeps nothing. */
    public RetainedMessages retained() {
        return retained;
    }

    /** Returns the lowest sequence that a replay must still copy; {@link Long#MAX_VALUE} if there is none. */
    public long replayPosition() {
        long lowest = Long.MAX_VALUE;
        for (SubscriptionEntry entry : subscriptions) {
            if (entry.isReplaying()) {
                lowest = Math.min(lowest, entry.replay().position());
            }
        }
        return lowest;
    }

    /** Answers whether at most one row names a body in overflow. */
    public boolean namesBodiesOnce() {
        return masks.length <= 1 && !sharesBodies;
    }

    /** Returns the bits of the group that subscriptions hold. */
    public long held(int group) {
        return group < held.length ? held[group] : 0;
    }

    /** Returns the subscription that holds the bit; null if there is none. */
    public SubscriptionEntry holder(int group, int bit) {
        return group < byBit.length ? byBit[group][bit] : null;
    }

    /** Returns the first group that has a free bit; a new one if all are full. */
    public int freeGroup() {
        int group = 0;
        while (Long.bitCount(held(group)) == RingGeometry.BITS) {
            group++;
        }
        return group;
    }

    /** Returns the lowest free bit of a group. */
    public int freeBit(int group) {
        return Long.numberOfTrailingZeros(~held(group));
    }

    /**
     * Adds a stored subscription.
     *
     * @param replay null unless the subscription began at a time in the past
     */
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

    /** Notes that a subscription has got everything that was published before it began. */
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

package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.ring.RingGeometry;
import java.util.ArrayList;
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
    private long[] masks = {}; // [group]: bits that are held
    private final Subscription temporaryReader; // null unless it is a temporary queue
    private boolean selective; // one of them may not want a message

    AddressEntry(Address address) {
        this(address, null);
    }

    AddressEntry(Address address, Subscription temporaryReader) {
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
    Subscription reader() {
        return temporaryReader != null ? temporaryReader : subscriptions.get(0).subscription();
    }

    /** Bits of each group that a message published now is owed to. */
    long[] masks() {
        return masks;
    }

    /** The same, without those that do not want the message. */
    long[] masksFor(Message message) {
        if (!selective) {
            return masks;
        }
        long[] wanted = masks.clone();
        for (SubscriptionEntry entry : subscriptions) {
            Subscription subscription = entry.subscription();
            if (!subscription.wants(message)) {
                wanted[subscription.group()] &= ~subscription.mask();
            }
        }
        return wanted;
    }

    /** Null if nobody holds the bit. */
    SubscriptionEntry holder(int group, int bit) {
        return group < byBit.length ? byBit[group][bit] : null;
    }

    /** The first group that has a free bit; a new one if all are full. */
    int freeGroup() {
        int group = 0;
        while (group < masks.length && Long.bitCount(masks[group]) == RingGeometry.BITS) {
            group++;
        }
        return group;
    }

    /** The lowest free bit of a group. */
    int freeBit(int group) {
        return group < masks.length ? Long.numberOfTrailingZeros(~masks[group]) : 0;
    }

    SubscriptionEntry add(Subscription subscription) {
        SubscriptionEntry entry = new SubscriptionEntry(subscription);
        int groups = Math.max(byBit.length, subscription.group() + 1);
        SubscriptionEntry[][] grown = new SubscriptionEntry[groups][];
        for (int group = 0; group < groups; group++) {
            grown[group] = group < byBit.length ? byBit[group] : new SubscriptionEntry[RingGeometry.BITS];
        }
        grown[subscription.group()][subscription.bit()] = entry;
        byBit = grown;
        List<SubscriptionEntry> list = new ArrayList<>(subscriptions);
        list.add(entry);
        publish(list);
        return entry;
    }

    void remove(Subscription subscription) {
        byBit[subscription.group()][subscription.bit()] = null;
        List<SubscriptionEntry> list = new ArrayList<>(subscriptions);
        list.removeIf(entry -> entry.subscription().equals(subscription));
        publish(list);
    }

    private void publish(List<SubscriptionEntry> list) {
        subscriptions = List.copyOf(list);
        int groups = 0;
        for (SubscriptionEntry entry : list) {
            groups = Math.max(groups, entry.subscription().group() + 1);
        }
        long[] held = new long[groups];
        for (SubscriptionEntry entry : list) {
            held[entry.subscription().group()] |= entry.subscription().mask();
        }
        masks = held;
        selective = list.stream().anyMatch(entry -> entry.subscription().isSelective());
    }
}

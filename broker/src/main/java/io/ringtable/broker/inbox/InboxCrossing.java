package io.ringtable.broker.inbox;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.RingCrossings;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Takes over what lies in the inbox of another database for a shard (ADR 63): each message once, in the order there.
 * <p>
 * The shard's own database keeps the messages and their ids in one transaction, then the rows go from the other one. As
 * long as that pair of steps is not known to be through, {@code number} is unknown. The next step then asks which ids
 * were kept last, and deletes those rows first.
 * <p>
 * Thread: that of its carrier. Failure: {@link io.ringtable.broker.store.StoreFailure}; a later call goes on.
 */
public final class InboxCrossing implements AutoCloseable {
    private static final long UNKNOWN = -1;
    private static final long BYTES_MAX = 4L << 20;

    private final int origin;
    private final String name;
    private final Supplier<RingStore> opener;
    private RingStore there; // null until it is needed
    private long number = UNKNOWN; // of the last call, once both of its steps are through

    /**
     * @param origin the other database, by the lowest shard that lies in it
     * @param name of its store
     * @param opener opens the shard's store there, which owns nothing; returns null while no shard lies there
     */
    public InboxCrossing(int origin, String name, Supplier<RingStore> opener) {
        this.origin = origin;
        this.name = name;
        this.opener = opener;
    }

    /** Returns the lowest shard that lies in the other database. */
    int origin() {
        return origin;
    }

    /** Returns the name of the other database's store. */
    String name() {
        return name;
    }

    /** Takes one portion over. @return how many messages it has; 0 if none lies there */
    int carry(RingCrossings own, long epoch) {
        if (there == null) {
            there = opener.get();
        }
        if (there == null) {
            return 0;
        }
        if (number == UNKNOWN) {
            number = opened(own, epoch);
        }
        List<InboxMessage> messages = messages();
        if (messages.isEmpty()) {
            return 0;
        }
        long next = number + 1;
        number = UNKNOWN;
        own.takeOver(epoch, origin, next, messages);
        there.removeTakenOver(messages.stream().map(InboxMessage::id).toList());
        number = next;
        return messages.size();
    }

    private long opened(RingCrossings own, long epoch) {
        Crossing crossing = own.openCrossing(epoch, origin);
        if (!crossing.inboxIds().isEmpty()) {
            there.removeTakenOver(crossing.inboxIds());
        }
        return crossing.number();
    }

    /** Reads what collectors there have passed on to the shard. Settlements are never among it. */
    private List<InboxMessage> messages() {
        List<InboxMessage> messages = new ArrayList<>();
        there.readInbox(Set.of(), InboxCollector.ROWS_MAX, BYTES_MAX).forEach(row -> messages.add((InboxMessage) row));
        return messages;
    }

    @Override
    public void close() {
        if (there != null) {
            there.close();
        }
    }
}

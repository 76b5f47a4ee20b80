package io.ringtable.broker.amqp;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * A link that publishes to one address. Every credit is given with a place reserved in the address's quota, so that an
 * address at its quota slows its own publishers and nobody else. A batch has one credit and needs a place for each
 * message: if its link has fewer, the link gives them up and the batch takes all at once, so that no two batches wait for
 * what the other holds.
 * <p>
 * Thread: the connection's event loop.
 */
final class IncomingLink extends PublisherLink {
    /** How large a transfer is taken to be before any has come. */
    private static final int FIRST_BYTES = 64 * 1024;

    /** A link takes at most this share of the quota, and of what is left of it, so that others get theirs. */
    private static final int SHARE = 8;

    /**
     * What all links of a topic may have on their way, shared out evenly: readers in memory have no store to fall back to, so what is on
     * its way when they hold their publishers waits in memory.
     */
    private static final int TOPIC_CREDIT = 20_000;

    /** Having given back its credit, it leaves the places to others for so long. */
    private static final int YIELD_MS = 1_000;

    private final Address address;
    private final Producer producer; // null = its messages have no numbers
    private final Lane lane;
    private final Parked parked;
    private int places; // reserved; at most one for each credit
    private long typicalBytes = FIRST_BYTES; // of its transfers; follows larger ones at once and smaller ones slowly
    private final CreditHolders.Publishers publishers; // to the same address
    private Runnable stopWaiting; // for room; null = it does not wait
    private long usedAt; // ms since the epoch

    IncomingLink(AmqpConnection connection, Receiver receiver, Address address) {
        this(connection, receiver, address, null);
    }

    /** @param producer whose messages come with numbers; null = nobody's */
    IncomingLink(AmqpConnection connection, Receiver receiver, Address address, Producer producer) {
        super(connection, receiver);
        this.address = address;
        this.producer = producer;
        this.lane = new Lane(this, address);
        this.parked = new Parked(connection.server(), Integer.MAX_VALUE); // its credit bounds their number
        receiver.creditStateUpdateHandler(changed -> onDrained());
        this.publishers = connection.server().creditHolders().add(address, this);
        connection.server().addressLinks().attached(address);
    }

    @Override
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        List<byte[]> messages = List.of(body);
        if (delivery.getMessageFormat() == BatchFormat.CODE) {
            messages = BatchFormat.split(body);
        } else if (delivery.getMessageFormat() != 0) {
            throw new MalformedMessage("message format " + Integer.toUnsignedString(delivery.getMessageFormat()));
        }
        Numbers numbers = producer == null ? null : Numbers.of(producer, delivery.getTag());
        ErrorCondition refusal = producer == null ? null : numbersRefusal(delivery, numbers);
        if (refusal != null) {
            creditGone();
            reject(delivery, refusal);
            return;
        }
        Publication publication = publication(delivery, messages, body.length);
        publication.bind(lane, connection().facts());
        publication.number(numbers);
        if (publication.count() <= places) {
            places -= publication.count();
            publication.hold(publication.count());
            creditGone();
        } else {
            releasePlaces(places);
        }
        usedAt = publication.publishedAt();
        typicalBytes = Math.max(publication.bytes(), typicalBytes - typicalBytes / 8);
        admit(publication, lane);
    }

    private static ErrorCondition numbersRefusal(IncomingDelivery delivery, Numbers numbers) {
        if (delivery.getRemoteState() instanceof TransactionalState) {
            return Conditions.notImplemented(
                    "RT-4108", "a link with a producer takes no part in transactions: use one without for those");
        }
        return numbers == null
                ? Conditions.invalid(
                        "RT-4106",
                        "on a link with a producer a delivery tag is 16 bytes: the number of the first message, and that"
                                + " of the one before, which is lower")
                : null;
    }

    /** Places whose credit is no longer there. */
    @Override
    void creditGone() {
        if (places > credit()) {
            releasePlaces(places - credit());
        }
    }

    private void releasePlaces(int count) {
        if (count > 0) {
            places -= count;
            address.quota().release(count, 0);
        }
    }

    @Override
    int window() {
        int share = address.isQueue() ? Integer.MAX_VALUE : Math.max(1, TOPIC_CREDIT / publishers.count());
        return (int) Math.min(
                Math.min(share, super.window()), Math.max(1, address.quota().messagesMax() / SHARE));
    }

    @Override
    int creditFor(int wanted) {
        if (lane.isFull()) {
            return 0; // what waits there comes first
        }
        AddressQuota quota = address.quota();
        long freeBytes = Math.max(0, quota.bytesMax() - quota.bytes());
        long fits = freeBytes / SHARE / Math.max(1, typicalBytes) - credit();
        if (fits <= 0 && credit() > 0) {
            return 0; // what is on its way will do
        }
        wanted = (int) Math.min(wanted, Math.max(1, fits));
        long free = quota.messagesMax() - quota.messages();
        int withoutPlace = credit() - places;
        int granted = quota.reserve((int) Math.min(wanted + withoutPlace, Math.max(1, free / SHARE)));
        if (granted == 0 && credit() == 0 && stopWaiting == null) {
            connection().counters().creditStalls.increment();
            connection().server().creditHolders().waits(this, address, connection());
            stopWaiting = quota.onRoom(() -> connection().mailbox().post(this::onRoom));
        }
        places += granted;
        return Math.max(0, granted - withoutPlace);
    }

    /** Another link waits for a place in the address; a client that cannot drain keeps its credit. */
    void giveBackIdle() {
        if (!isEnded()
                && credit() > 0
                && lane.isEmpty()
                && System.currentTimeMillis() - usedAt > CreditHolders.IDLE_MS
                && connection().isRunning()
                && receiver().isRemotelyOpen()
                && !receiver().isDraining()) {
            receiver().drain();
        }
    }

    private void onDrained() {
        if (!isEnded() && !receiver().isDraining() && receiver().getCredit() == 0 && credit() > 0) {
            creditReturned();
            // Those who asked come first: what is idle is not in a hurry.
            connection().mailbox().later(this::wantCredit, YIELD_MS);
        }
    }

    private void onRoom() {
        stopWaiting();
        if (connection().intake().mayGiveCredit()) {
            giveCredit();
        } else {
            wantCredit();
        }
        if (stopWaiting == null) {
            address.quota().passOn();
        }
    }

    private void stopWaiting() {
        if (stopWaiting != null) {
            stopWaiting.run();
            stopWaiting = null;
            connection().server().creditHolders().waitsNoMore(this, address);
        }
    }

    @Override
    int exempt() {
        return 0;
    }

    @Override
    boolean park(Publication publication) {
        return parked.take(publication, true);
    }

    @Override
    void unpark(Publication publication) {
        parked.give(publication);
    }

    /** Its publisher is slowed, as it is where it has no credit. */
    @Override
    boolean waitsForEver() {
        return true;
    }

    @Override
    void emptied(Lane emptied) {
        wantCredit();
    }

    @Override
    void release() {
        stopWaiting();
        connection().server().creditHolders().remove(address, this);
        connection().server().addressLinks().ended(address);
        lane.drop();
        if (producer != null) {
            connection().shard().catalog().leave(producer);
        }
    }
}

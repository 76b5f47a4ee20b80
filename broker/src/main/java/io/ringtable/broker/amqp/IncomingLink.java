package io.ringtable.broker.amqp;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.AddressQuota;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;

/**
 * A link that publishes to one address. Every credit it has is a place reserved in the address's quota, so that an
 * address at its quota slows its own publishers and nobody else.
 * <p>
 * Thread: the connection's event loop.
 */
final class IncomingLink extends PublisherLink {
    /** Near the quota a link takes at most this share of what is left, so that others get theirs. */
    private static final int SHARE = 8;

    /** Credit that was not used for so long is given back when somebody asks. */
    private static final int IDLE_MS = 100;
    /** And so long it leaves its place to others. */
    private static final int YIELD_MS = 1_000;

    private final Address address;
    private final Lane lane;
    private boolean waitsForRoom;
    private long usedAt; // ms since the epoch

    IncomingLink(AmqpConnection connection, Receiver receiver, Address address) {
        super(connection, receiver);
        this.address = address;
        this.lane = new Lane(this, address);
        receiver.creditStateUpdateHandler(changed -> onDrained());
        connection.server().creditHolders().add(address, this);
    }

    @Override
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        List<byte[]> messages = List.of(body);
        if (delivery.getMessageFormat() == BatchFormat.CODE) {
            messages = BatchFormat.split(body);
        } else if (delivery.getMessageFormat() != 0) {
            throw new MalformedMessage("message format " + Integer.toUnsignedString(delivery.getMessageFormat()));
        }
        Publication publication = publication(delivery, messages, body.length);
        publication.bind(address, connection().facts());
        publication.hold(1);
        usedAt = publication.publishedAt();
        admit(publication, lane);
    }

    @Override
    void unused(int places) {
        if (places > 0) {
            address.quota().release(places);
        }
    }

    @Override
    int creditFor(int wanted) {
        AddressQuota quota = address.quota();
        long free = quota.messagesMax() - quota.messages();
        int granted = quota.reserve((int) Math.min(wanted, Math.max(1, free / SHARE)));
        if (granted == 0 && !hasCredit() && !waitsForRoom) {
            waitsForRoom = true;
            connection().counters().creditStalls.increment();
            quota.onRoom(() -> connection().post(this::onRoom));
            askBack();
        }
        return granted;
    }

    /** As long as it stands without credit. */
    private void askBack() {
        if (waitsForRoom && !isEnded()) {
            connection().server().creditHolders().askBack(address, this);
            connection().later(this::askBack, IDLE_MS);
        }
    }

    /** Another link of the address has no credit; a client that cannot drain keeps its own. */
    void giveBackIdle() {
        if (!isEnded()
                && hasCredit()
                && System.currentTimeMillis() - usedAt > IDLE_MS
                && connection().isRunning()
                && receiver().isRemotelyOpen()
                && !receiver().isDraining()) {
            receiver().drain();
        }
    }

    private void onDrained() {
        if (!isEnded() && !receiver().isDraining() && receiver().getCredit() == 0 && hasCredit()) {
            unused(takeCredit());
            // Those who asked come first: what is idle is not in a hurry.
            connection().later(this::wantCredit, YIELD_MS);
        }
    }

    private void onRoom() {
        waitsForRoom = false;
        wantCredit();
    }

    @Override
    int exempt() {
        return 0;
    }

    @Override
    boolean park(Publication publication) {
        return true; // its credit bounds it
    }

    @Override
    void unpark(Publication publication) {
        // Nothing is counted.
    }

    @Override
    void emptied(Lane emptied) {
        // There is only the one.
    }

    @Override
    void release(int unusedCredit) {
        connection().server().creditHolders().remove(address, this);
        if (unusedCredit > 0) {
            address.quota().release(unusedCredit);
        }
        lane.drop();
    }
}

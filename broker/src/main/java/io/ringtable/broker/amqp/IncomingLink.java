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

    private final Address address;
    private final Lane lane;
    private boolean waitsForRoom;

    IncomingLink(AmqpConnection connection, Receiver receiver, Address address) {
        super(connection, receiver);
        this.address = address;
        this.lane = new Lane(this, address);
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
        admit(publication, lane);
    }

    @Override
    void unused(int places) {
        address.quota().release(places);
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
        }
        return granted;
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
        if (unusedCredit > 0) {
            address.quota().release(unusedCredit);
        }
        lane.drop();
    }
}

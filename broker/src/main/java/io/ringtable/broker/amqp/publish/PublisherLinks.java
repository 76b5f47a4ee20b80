package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.Address;
import java.util.function.Function;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;

/** Makes the links on which clients publish. Thread: the connection's event loop. */
public final class PublisherLinks {
    private PublisherLinks() {}

    /**
     * Makes a link to an address, or to all parts of it.
     *
     * @param home of the address
     * @param producer the producer of numbered messages; null = they have no numbers
     */
    public static PublisherLink toAddress(
            Publishing publishing, Receiver receiver, Address address, Home home, Producer producer) {
        Parts parts = producer == null ? publishing.shard().partsOf(address) : null;
        return new PublisherLink(
                publishing,
                receiver,
                WaitingRoom.patient(publishing),
                link -> parts == null
                        ? new AddressTarget(publishing, link, address, home, producer)
                        : new PartsTarget(publishing, link, parts));
    }

    /**
     * Makes a link without a target address, the anonymous relay.
     *
     * @param management makes what takes the link's messages to the management node
     */
    public static PublisherLink anonymous(
            Publishing publishing, Receiver receiver, Function<PublisherLink, PublisherTarget> management) {
        return to(publishing, receiver, link -> new AnonymousTarget(publishing, link, management.apply(link)));
    }

    /** Makes a link to a node of the broker's own. @param target makes the node's end of the link */
    public static PublisherLink to(
            Publishing publishing, Receiver receiver, Function<PublisherLink, PublisherTarget> target) {
        return new PublisherLink(publishing, receiver, WaitingRoom.impatient(publishing), target);
    }

    /** Forgets the bytes of a transfer that no link takes. */
    public static void discard(IncomingDelivery delivery) {
        TransferFrames.discard(delivery);
    }
}

package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
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
        Parts parts = producer == null ? partsOf(publishing, address) : null;
        return new PublisherLink(
                publishing,
                receiver,
                WaitingRoom.patient(publishing),
                link -> parts == null
                        ? new AddressTarget(publishing, link, address, home, producer)
                        : new PartsTarget(publishing, link, parts));
    }

    /**
     * Makes a link to one part of an address, whose messages another node has chosen.
     *
     * @param home of the part
     * @param producer the producer of numbered messages; null = they have no numbers
     */
    public static PublisherLink toPart(
            Publishing publishing, Receiver receiver, Address part, Home home, Producer producer) {
        return new PublisherLink(
                publishing,
                receiver,
                WaitingRoom.patient(publishing),
                link -> new AddressTarget(publishing, link, part, home, producer));
    }

    /**
     * Returns the parts among which the messages to an address go; null if it has no others and is at this node. Of a
     * queue to which policies move messages, clients may publish to the first part alone.
     */
    static Parts partsOf(Publishing publishing, Address address) {
        Shard shard = publishing.shard();
        Parts parts = shard.partsOf(address);
        boolean isRemote = parts == null
                && publishing.front() != null
                && shard.homesOf(address).size() > 1
                && RemoteHome.of(shard.homeOf(address)) != null
                && shard.moveOf(address.name()) == null;
        return isRemote ? Parts.alone(address) : parts;
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

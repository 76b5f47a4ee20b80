package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Address;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * A link without a target address (the anonymous relay): each message goes where its {@code to} says. Its credit
 * reserves nothing, since nobody knows where the next message goes; those for a full address are parked, bounded in
 * number, bytes and time, while the others pass.
 * <p>
 * Thread: the connection's event loop.
 */
final class AnonymousLink extends PublisherLink {
    /** Lanes remembered although nothing waits in them, mostly those of full addresses. */
    private static final int LANES_KEPT = 1_000;

    private final Map<NodeName, Lane> lanes = new HashMap<>();
    private final Parked parked;

    AnonymousLink(AmqpConnection connection, Receiver receiver) {
        super(connection, receiver);
        this.parked = new Parked(connection.server(), connection.settings().parkedMessagesMax());
    }

    @Override
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        String shortage = connection().server().watermarks().shortage();
        if (shortage != null) {
            reject(delivery, Conditions.limit("RT-4342", "publishers are held back: " + shortage));
            return;
        }
        if (delivery.getMessageFormat() != 0) {
            reject(
                    delivery,
                    Conditions.notImplemented(
                            "RT-4045",
                            "message format " + Integer.toUnsignedString(delivery.getMessageFormat())
                                    + " is taken on links with a target address only"));
            return;
        }
        MessageFacts facts = connection().facts().read(body, 0, body.length);
        if (facts.to == null) {
            reject(delivery, Conditions.invalid("RT-4046", "a message on a link without a target has no 'to'"));
            return;
        }
        NodeName node = NodeName.of(facts.to, facts.jmsDestination);
        ErrorCondition refusal = refusal(node);
        if (refusal != null) {
            reject(delivery, refusal);
            return;
        }
        Publication publication = publication(delivery, List.of(body), body.length);
        Lane lane = laneTo(node);
        if (lane.address() != null) {
            publication.bindRead(lane, facts);
        }
        admit(publication, lane);
    }

    private Lane laneTo(NodeName node) {
        Lane lane = lanes.get(node);
        if (lane != null && !lane.isEmpty()) {
            return lane;
        }
        Address address = connection().shard().lookup().find(node.name());
        if (address != null && !node.matches(address)) {
            address = null; // the catalogue says why not
        }
        if (lane == null || address == null || !address.equals(lane.address())) {
            lane = new Lane(this, address);
            keep(node, lane);
            if (address == null) {
                resolve(node, lane);
            }
        }
        return lane;
    }

    private ErrorCondition refusal(NodeName node) {
        if (!node.isValid()) {
            return Conditions.invalid(
                    "RT-4047",
                    "'to' is no name of an address: 1 to " + Address.NAME_MAX
                            + " characters, none of them a control character");
        }
        if (node.temporary()) {
            Address address = connection().shard().lookup().find(node.name());
            return address != null && node.matches(address) ? null : Conditions.noTemporary(node);
        }
        return null;
    }

    private void keep(NodeName node, Lane lane) {
        if (lanes.size() >= LANES_KEPT) {
            lanes.values().removeIf(Lane::isEmpty);
        }
        lanes.put(node, lane);
    }

    private void resolve(NodeName node, Lane lane) {
        connection()
                .requests()
                .ask(
                        () -> connection().shard().catalog().ensure(node.name(), node.kind()),
                        (address, failure) -> resolved(node, lane, address, failure),
                        () -> {}); // the link has ended, and its lanes with it
    }

    private void resolved(NodeName node, Lane lane, Address address, Throwable failure) {
        if (isEnded()) {
            return;
        }
        if (failure == null) {
            lane.resolved(address);
        } else {
            lanes.remove(node, lane);
            lane.unresolved(Conditions.of(failure));
        }
    }

    @Override
    void creditGone() {
        // It reserved no place.
    }

    @Override
    int creditFor(int wanted) {
        return wanted;
    }

    @Override
    int exempt() {
        return parked.messages();
    }

    @Override
    boolean park(Publication publication) {
        return parked.take(publication, false);
    }

    @Override
    void unpark(Publication publication) {
        parked.give(publication);
    }

    @Override
    boolean waitsForEver() {
        return false;
    }

    @Override
    void emptied(Lane emptied) {
        // Kept: it remembers its address, and whether that is full.
    }

    @Override
    void release() {
        lanes.values().forEach(Lane::drop);
        lanes.clear();
    }
}

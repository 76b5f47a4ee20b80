package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * A link that asks for a stored address to be deleted. It gets no credit; closing it deletes, as closing the link of a durable
 * subscription deletes that (AMQP 1.0 section 2.6.6), and the answer to the close says whether it was done. Detaching it, or a lost
 * connection, changes nothing.
 * <p>
 * Thread: the connection's event loop.
 */
final class Deletion {
    private static final Symbol PROPERTY = Symbol.valueOf("ringtable:delete");
    private static final String IF_UNUSED = "if-unused";
    private static final String ALWAYS = "always";

    private final OpenConnection connection;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final AddressLinks addressLinks;
    private final Receiver receiver;
    private final NodeName node; // null if the link has no target address
    private final Object mode;

    private Deletion(
            OpenConnection connection,
            Shard shard,
            AddressLinks addressLinks,
            Receiver receiver,
            NodeName node,
            Object mode) {
        this.connection = connection;
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.addressLinks = addressLinks;
        this.receiver = receiver;
        this.node = node;
        this.mode = mode;
    }

    /** Null if the link asks for none. */
    public static Deletion of(
            OpenConnection connection, Shard shard, AddressLinks addressLinks, Receiver receiver, NodeName node) {
        Map<Symbol, Object> properties = receiver.getRemoteProperties();
        Object mode = properties == null ? null : properties.get(PROPERTY);
        return mode == null ? null : new Deletion(connection, shard, addressLinks, receiver, node, mode);
    }

    /** Null if there is such an address. */
    public ErrorCondition refusal() {
        if (!IF_UNUSED.equals(mode) && !ALWAYS.equals(mode)) {
            return Conditions.invalid(
                    "RT-4060",
                    PROPERTY + " is '" + IF_UNUSED + "' or '" + ALWAYS + "', not '" + Printable.value(mode) + "'");
        }
        if (node == null) {
            return Conditions.invalid("RT-4060", "a link that is to delete an address names it");
        }
        Address address = address();
        if (address == null || !node.matches(address)) {
            return Conditions.of(
                    AmqpError.NOT_FOUND, "RT-4067 there is no " + node.kindInWords() + " '" + node.name() + "'");
        }
        return address.isTemporary()
                ? Conditions.of(
                        AmqpError.NOT_ALLOWED,
                        "RT-4068 " + address + " is temporary: it ends with the link that made it")
                : null;
    }

    private Address address() {
        return lookup.find(node.name());
    }

    public void open() {
        Address address = address();
        receiver.setSource(receiver.getRemoteSource());
        receiver.setTarget((Target) receiver.getRemoteTarget());
        receiver.setProperties(Map.of(PROPERTY, mode));
        receiver.detachHandler(link -> receiver.detach());
        receiver.closeHandler(link -> delete(address));
        receiver.open();
    }

    private void delete(Address address) {
        boolean always = ALWAYS.equals(mode);
        int links = addressLinks.of(address);
        if (links > 0 && !always) {
            receiver.setCondition(Conditions.of(
                    AmqpError.RESOURCE_LOCKED,
                    "RT-4069 " + address + " is in use (links: " + links
                            + "): close those that publish to it or receive from it, or ask for its deletion even so"));
            receiver.close();
            return;
        }
        AttachSteps.closeAfter(catalog.deleteStored(address, always), connection, receiver);
    }
}

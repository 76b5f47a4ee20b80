package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.management.ManagementLinks;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Serves a link that asks for a stored address to be deleted. The link gets no credit. Closing it deletes the address,
 * as closing the link of a durable subscription deletes that (AMQP 1.0 section 2.6.6). The answer to the close says
 * whether the address is deleted. Detaching the link changes nothing, nor does a lost connection. If one other node has
 * the address, the link is passed on to that node.
 * <p>
 * Thread: the connection's event loop.
 */
final class Deletion {
    private final OpenConnection connection;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final AddressLinks addressLinks;
    private final ConnectionRights rights;
    private final ManagementLinks management;
    private final AttachSteps steps;
    private final Receiver receiver;
    private final NodeName node; // null if the link has no target address
    private final Object mode;

    /** Makes the answer to a link that asks for it. @param node null if the link has no target address */
    Deletion(Publishing publishing, ManagementLinks management, AttachSteps steps, Receiver receiver, NodeName node) {
        this.connection = publishing.connection();
        this.shard = publishing.shard();
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.addressLinks = publishing.addressLinks();
        this.rights = publishing.rights();
        this.management = management;
        this.steps = steps;
        this.receiver = receiver;
        this.node = node;
        this.mode = mode(receiver);
    }

    /** Tells whether the link asks for a deletion. */
    static boolean isAsked(Receiver receiver) {
        return mode(receiver) != null;
    }

    private static Object mode(Receiver receiver) {
        Map<Symbol, Object> properties = receiver.getRemoteProperties();
        return properties == null ? null : properties.get(RingtableSymbols.DELETE);
    }

    /** Answers the attach, or has the node answer it that has the address. */
    void attach() {
        ErrorCondition refusal = refusalOfTerms();
        if (refusal != null) {
            steps.refuse(receiver, refusal);
        } else if (isHere() || !steps.mayPassOn()) {
            answer();
        } else {
            steps.claim(receiver, false, () -> {
                RemoteHome elsewhere = steps.elsewhereWhole(node);
                if (elsewhere == null) {
                    lookAgain();
                } else {
                    steps.passOn(receiver, elsewhere, this::rightsRefusal, this::lookAgain);
                }
            });
        }
    }

    private ErrorCondition refusalOfTerms() {
        if (!RingtableSymbols.DELETE_IF_UNUSED.equals(mode) && !RingtableSymbols.DELETE_ALWAYS.equals(mode)) {
            return Conditions.invalid(
                    "RT-4060",
                    RingtableSymbols.DELETE + " is '" + RingtableSymbols.DELETE_IF_UNUSED + "' or '"
                            + RingtableSymbols.DELETE_ALWAYS + "', not '" + Printable.value(mode) + "'");
        }
        return node == null ? Conditions.invalid("RT-4060", "a link that deletes an address must name it") : null;
    }

    private Address address() {
        return lookup.find(node.name());
    }

    /** Tells whether this node has at least a part of the address, or several others have it. */
    private boolean isHere() {
        Address address = address();
        return address != null && node.matches(address) && steps.elsewhereWhole(node) == null;
    }

    /** Answers once what other nodes have made up to now is known here. */
    private void lookAgain() {
        steps.lookAgain(receiver, () -> {
            RemoteHome elsewhere = steps.elsewhereWhole(node);
            if (elsewhere == null) {
                answer();
            } else if (address() == null) { // it is temporary, and its node alone knows it
                steps.passOn(receiver, elsewhere, this::rightsRefusal, () -> steps.refuse(receiver, unknown()));
            } else {
                steps.passOn(receiver, elsewhere, this::rightsRefusal);
            }
        });
    }

    /** Answers the attach by what this node knows. */
    private void answer() {
        ErrorCondition refusal = refusal();
        if (refusal != null) {
            steps.refuse(receiver, refusal);
        } else {
            steps.release(receiver); // no link is served under the name
            open();
        }
    }

    /** Returns why the broker refuses the link; null if it accepts the deletion. */
    private ErrorCondition refusal() {
        Address address = address();
        if (connection.isCarried() && !mayBeHere(address)) {
            return CarriedClient.elsewhere(node.name());
        }
        if (address == null || !node.matches(address)) {
            return unknown();
        }
        return address.isTemporary()
                ? Conditions.of(
                        AmqpError.NOT_ALLOWED,
                        "RT-4068 " + address + " is temporary: it ends with the link that made it")
                : null;
    }

    private boolean mayBeHere(Address address) {
        return address != null && shard.homesOf(address).stream().anyMatch(home -> home.elsewhere() == null);
    }

    private ErrorCondition unknown() {
        return Conditions.of(
                AmqpError.NOT_FOUND, "RT-4067 there is no " + node.kindInWords() + " '" + node.name() + "'");
    }

    private ErrorCondition rightsRefusal() {
        return rights.refusal(Permission.DELETE, node.name()); // the rules may have changed
    }

    private void open() {
        Address address = address();
        receiver.setSource(receiver.getRemoteSource());
        receiver.setTarget((Target) receiver.getRemoteTarget());
        receiver.setProperties(Map.of(RingtableSymbols.DELETE, mode));
        receiver.detachHandler(link -> receiver.detach());
        receiver.closeHandler(link -> delete(address));
        receiver.open();
    }

    private int links(Address address) {
        Parts parts = shard.partsOf(address);
        return parts == null
                ? addressLinks.of(address)
                : parts.all().stream().mapToInt(addressLinks::of).sum();
    }

    private void delete(Address address) {
        ErrorCondition refusal = rightsRefusal();
        if (refusal != null) {
            receiver.setCondition(refusal);
            receiver.close();
            return;
        }
        boolean always = RingtableSymbols.DELETE_ALWAYS.equals(mode);
        int links = links(address);
        if (links > 0 && !always) {
            receiver.setCondition(Conditions.of(
                    AmqpError.RESOURCE_LOCKED,
                    "RT-4069 " + address + " is in use (links: " + links
                            + "): close those that publish to it or receive from it, or ask with "
                            + RingtableSymbols.DELETE + "=" + RingtableSymbols.DELETE_ALWAYS));
            receiver.close();
            return;
        }
        String what = "delete " + Printable.text(address.toString()) + " (" + mode + ")";
        AttachSteps.closeAfter(management.audited(what, catalog.deleteStored(address, always)), connection, receiver);
    }
}

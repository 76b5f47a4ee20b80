package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.wire.RingtableSymbols;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Attaches one link to the address that it names. Finds or creates that here, or passes the attach on to the node that
 * has its home. While no node serves the home, the link waits. The first link of a connection may send the client to
 * that node instead.
 * <p>
 * Thread: the connection's event loop; answers of the catalogue come back through the mailbox.
 */
final class AddressAttach {
    private final AttachSteps steps;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final OpenConnection connection;
    private final Front front; // null where links go to no other node
    private final Link<?> link;
    private final NodeName node;
    private final Supplier<ErrorCondition> allowed;
    private final BiConsumer<Address, Home> then;

    /**
     * @param front passes links on to other nodes; null where none are
     * @param node the name of the address
     * @param allowed returns why the client may no longer have the link; null while it may
     * @param then serves the link, from the home of the address or of a part of it
     */
    AddressAttach(
            AttachSteps steps,
            Shard shard,
            OpenConnection connection,
            Front front,
            Link<?> link,
            NodeName node,
            Supplier<ErrorCondition> allowed,
            BiConsumer<Address, Home> then) {
        this.steps = steps;
        this.shard = shard;
        this.catalog = shard.catalog();
        this.connection = connection;
        this.front = front;
        this.link = link;
        this.node = node;
        this.allowed = allowed;
        this.then = then;
    }

    void begin() {
        if (front != null) {
            if (allowed.get() == null && front.sendsAway(node.name(), () -> steps.elsewhereWhole(node))) {
                steps.release(link);
                return;
            }
            link.getLinkedResource(LinkNames.Claim.class).mayFollow(this::follow);
            if (!node.isOfTemporary()) {
                steps.mayWait(link, this::resolve);
            }
        }
        resolve();
    }

    private void resolve() {
        RemoteHome elsewhere = elsewhere();
        RemoteHome whole = elsewhere == null ? topicElsewhere() : null;
        if (whole != null) {
            // The link ends with that node, which alone has all parts.
            steps.passOn(link, whole, allowed, () -> steps.lookAgain(link, this::resolveHere));
        } else if (elsewhere == null) {
            resolveHere();
        } else {
            passOn(
                    elsewhere,
                    false,
                    () -> steps.lookAgain(link, () -> {
                        RemoteHome now = elsewhere();
                        if (now == null) {
                            resolveHere();
                        } else {
                            passOn(now, false, null);
                        }
                    }));
        }
    }

    /** Returns where the address is, if another node has it. Publishers find one that moves in its next home alone. */
    private RemoteHome elsewhere() {
        return front != null && link instanceof Receiver ? RemoteHome.ofPublished(shard, node) : steps.elsewhere(node);
    }

    /** Returns where a topic is that a consumer wants and one other node has with all parts; null if none has. */
    private RemoteHome topicElsewhere() {
        Address topic = link instanceof Sender ? shard.lookup().find(node.name()) : null;
        return topic == null || topic.isQueue() ? null : steps.elsewhereWhole(node);
    }

    /** Passes the attach on to the owner. @param again does what it asks for, if the owner has the home no more */
    private void passOn(RemoteHome home, boolean create, Runnable again) {
        front.attach(link, home, create, allowed, passedOn(again));
    }

    private PassedOn passedOn(Runnable again) {
        return new PassedOn(steps, link, node, this::serveHere, again);
    }

    /** Goes on with an address that this node has got meanwhile. */
    private void serveHere() {
        Address address = shard.lookup().find(node.name());
        then.accept(address, shard.homeOf(address));
    }

    private void follow(HandedOver to) {
        front.follow(steps.held(link), to, allowed, passedOn(null));
    }

    private void resolveHere() {
        Address address = shard.lookup().find(node.name());
        boolean matches = address != null && node.matches(address);
        if (matches && takesPartForWhole(address)) {
            steps.refuse(link, CarriedClient.elsewhere(node.name())); // its node does not know yet who has parts
        } else if (matches && link instanceof Receiver && address.quota().isClosed()) { // once it has moved
            steps.when(link, () -> catalog.ensure(node.name(), node.kind()), this::serve, notNeeded -> {});
        } else if (matches) {
            serve(address);
        } else if (node.temporary()) {
            steps.refuse(link, Conditions.noTemporary(node));
        } else {
            ErrorCondition refusal = address == null ? connection.refusalToCreate(link, node) : null;
            if (refusal == null && address == null) {
                refusal = steps.rights().refusal(Permission.CREATE, node.name());
            }
            if (refusal != null) {
                steps.refuse(link, refusal);
            } else {
                create();
            }
        }
    }

    private void serve(Address found) {
        boolean publishes = link instanceof Receiver;
        Address part = !publishes && readsOwnParts(found) ? shard.ownPart(found) : shard.partFor(found, publishes);
        Refusal away = shard.refusalFor(part);
        if (away == null || (publishes ? steps.isReached(part) : steps.isRead(part))) {
            then.accept(part, shard.homeOf(part));
        } else {
            steps.refuse(link, Conditions.of(away));
        }
    }

    /** Tells whether a consumer of the topic reads what this node has of it, and the other nodes serve it as well. */
    private boolean readsOwnParts(Address topic) {
        if (topic.isQueue() || connection.isCarried()) {
            return !topic.isQueue() && isOfParts();
        }
        List<Home> homes = shard.homesOf(topic);
        return homes.stream().anyMatch(home -> home.elsewhere() != null)
                && homes.stream().allMatch(home -> home.refusal() == null || home.elsewhere() != null);
    }

    private boolean isOfParts() {
        return link.getRemoteProperties() != null && link.getRemoteProperties().containsKey(RingtableSymbols.PARTS);
    }

    /** Tells whether a consumer that another node carries would miss parts of its topic that other nodes have. */
    private boolean takesPartForWhole(Address topic) {
        return connection.isCarried()
                && link instanceof Sender
                && !topic.isQueue()
                && !isOfParts()
                && shard.homesOf(topic).stream().anyMatch(home -> home.elsewhere() != null);
    }

    private void create() {
        Consumer<FoundAddress> goOn = found -> {
            if (found.address() != null) {
                serve(found.address());
            } else if (found.maker() != null) {
                passOn(found.maker(), true, () -> steps.lookAgain(link, node, this::passOnNow));
            } else {
                passOnNow();
            }
        };
        steps.when(
                link, () -> steps.orElsewhere(catalog.ensure(node.name(), node.kind()), node), goOn, notNeeded -> {});
    }

    private void passOnNow() {
        RemoteHome now = steps.elsewhere(node);
        Address address = shard.lookup().find(node.name());
        if (now == null && address != null && node.matches(address)) {
            serve(address); // it has parts, or has come to this node
        } else if (now == null) {
            steps.refuse(link, CarriedClient.moved(node.name()));
        } else {
            passOn(now, false, null);
        }
    }
}

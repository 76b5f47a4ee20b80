package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.consume.SharedLink;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.numbering.RelayNumbers;
import io.ringtable.broker.amqp.publish.PublisherLink;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Takes the steps of attaching that both directions share: claims the link's name, and finds or creates its address. A
 * refusal attaches without a terminus and detaches with the reason (AMQP 1.0 section 2.6.3).
 * <p>Longer than others, because links of this node and links that are passed on take the same steps.
 * <p>
 * Thread: the connection's event loop; answers of the catalogue come back through the mailbox.
 */
public final class AttachSteps {
    /** Holds the properties of a dynamic node: the node ends with its link (AMQP 1.0 section 3.5.10). */
    static final Map<Symbol, Object> DELETE_ON_CLOSE =
            Map.of(Symbol.valueOf("lifetime-policy"), DeleteOnClose.getInstance());

    private static final Symbol LIFETIME_POLICY = Symbol.valueOf("lifetime-policy");

    private final OpenConnection connection;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final CatalogRequests requests;
    private final LinkNames names;
    private final Temporaries temporaries;
    private final ConnectionRights rights;
    private final int linksMax;
    private final Consumer<Link<?>> onRefused;
    private final Front front; // null where links go to no other node

    /**
     * Makes the steps for one connection.
     *
     * @param names of all connections
     * @param linksMax of the connection
     * @param onRefused hears of each refused link, which its client must detach as well
     * @param front passes links on to other nodes; null where none are
     */
    public AttachSteps(
            OpenConnection connection,
            Shard shard,
            CatalogRequests requests,
            LinkNames names,
            Temporaries temporaries,
            ConnectionRights rights,
            int linksMax,
            Consumer<Link<?>> onRefused,
            Front front) {
        this.connection = connection;
        this.shard = shard;
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.requests = requests;
        this.names = names;
        this.temporaries = temporaries;
        this.rights = rights;
        this.linksMax = linksMax;
        this.onRefused = onRefused;
        this.front = front;
    }

    // ---- immediate refusals; null = none

    ErrorCondition linkRefusal() {
        return connection.linkCount() < linksMax
                ? null
                : Conditions.limit("RT-4061", "too many links on one connection: ringtable.amqp.links-max=" + linksMax);
    }

    /**
     * Refuses a dynamic node that the client names: the broker names it (AMQP 1.0 section 3.5.3).
     *
     * @return null = no refusal
     */
    static ErrorCondition dynamicRefusal(String name, Map<Symbol, Object> properties) {
        if (name != null && !name.isEmpty()) {
            return Conditions.invalid(
                    "RT-4062",
                    "the client names the dynamic node '" + Printable.value(name)
                            + "': leave its address empty, the broker names it");
        }
        Object lifetime = properties == null ? null : properties.get(LIFETIME_POLICY);
        if (lifetime != null && !(lifetime instanceof DeleteOnClose)) {
            return Conditions.notImplemented(
                    "RT-4062", "a dynamic node lives as long as its link: ask for delete-on-close");
        }
        return null;
    }

    static ErrorCondition nodeRefusal(NodeName node) {
        if (!node.isValid()) {
            return Conditions.invalid(
                    "RT-4047",
                    "the name of an address has 1 to " + Address.NAME_MAX
                            + " characters, none of them a control character");
        }
        return null;
    }

    // ---- steps

    /** Claims the link's name, then goes on, unless the client has gone or another link has stolen the name. */
    void claim(Link<?> link, boolean consumer, Runnable then) {
        // The claim comes before all that depends on it.
        Runnable goOn = () -> {
            LinkNames.Claim claim = link.getLinkedResource(LinkNames.Claim.class);
            if (!isWanted(link)) {
                names.release(claim);
            } else if (claim.isStolen()) {
                refuse(link, LinkNames.Claim.stolenCondition());
            } else {
                then.run();
            }
        };
        names.claim(connection, consumer, connection.nameOf(link), link::setLinkedResource, goOn);
    }

    ConnectionRights rights() {
        return rights;
    }

    /** Hears that the client has something at this node, which it would lose if it were sent to another one. */
    void stays() {
        if (front != null) {
            front.stays();
        }
    }

    /** Tells whether links may go to other nodes. */
    boolean mayPassOn() {
        return front != null;
    }

    /** Returns where the address of that name lives, if another node has all of it; else null. */
    RemoteHome elsewhere(NodeName node) {
        return front == null ? null : RemoteHome.of(shard, node);
    }

    /** Returns where messages to an address go, if that is another node; else null. */
    RemoteHome publishedElsewhere(NodeName node) {
        return front == null ? null : RemoteHome.ofPublished(shard, node);
    }

    /**
     * Returns where an address is that one other node has, with all of its parts. Null if this node has any of it, or
     * several have, or none is seen that does.
     */
    RemoteHome elsewhereWhole(NodeName node) {
        Address address = lookup.find(node.name());
        if (front == null || address == null || !node.matches(address)) {
            return address == null ? elsewhere(node) : null;
        }
        List<RemoteHome> homes =
                shard.homesOf(address).stream().map(RemoteHome::of).toList();
        RemoteHome first = homes.get(0);
        return first != null
                        && homes.stream()
                                .allMatch(each -> each != null && each.node().equals(first.node()))
                ? first
                : null;
    }

    /** Returns where the durable subscription lives, if another node has it; else null. */
    RemoteHome elsewhere(SubscriptionName named) {
        return front == null ? null : RemoteHome.of(shard.elsewhere(named.clientId(), named.name()));
    }

    /**
     * Passes an attach on that the owner of the home alone can answer. The link ends when it is the owner no more.
     *
     * @param rights returns why the client may no longer have the link; null while it may
     */
    void passOn(Link<?> link, RemoteHome home, Supplier<ErrorCondition> rights) {
        passOn(link, home, false, rights);
    }

    private void passOn(Link<?> link, RemoteHome home, boolean create, Supplier<ErrorCondition> rights) {
        front.attach(link, home, create, rights, new PassedOn(this, link, null, () -> {}, null));
    }

    /** Passes such an attach on. @param again does what it asks for, if that node is not the owner any more */
    void passOn(Link<?> link, RemoteHome home, Supplier<ErrorCondition> rights, Runnable again) {
        front.attach(link, home, false, rights, new PassedOn(this, link, null, () -> {}, again));
    }

    /**
     * Goes on with the address of that name and its home, and creates it where the policies allow that. Of a queue with
     * parts it is one that is there. If another node has the home, the attach is passed on instead.
     *
     * @param allowed returns why the client may no longer have the link; null while it may
     */
    void resolve(Link<?> link, NodeName node, Supplier<ErrorCondition> allowed, BiConsumer<Address, Home> then) {
        new AddressAttach(this, shard, connection, front, link, node, allowed, then).begin();
    }

    /**
     * Has a link wait instead of being refused while no node serves what it asks for, if other nodes may.
     *
     * @param begin does what the attach asks for, from the start
     */
    void mayWait(Link<?> link, Runnable begin) {
        if (front != null) {
            link.getLinkedResource(LinkNames.Claim.class)
                    .mayWait(new WaitingAttach(this, connection, link, front.patienceMs(), begin));
        }
    }

    /** Does what an attach asks for, and has it wait as {@link #mayWait} says. */
    void beginOrWait(Link<?> link, Runnable begin) {
        mayWait(link, begin);
        begin.run();
    }

    /**
     * Tells whether this node has all of the address, and serves it.
     *
     * @param publishes whether the link publishes: of an address that moves it needs the next home alone
     */
    boolean isHere(NodeName node, boolean publishes) {
        Address address = whole(node, publishes);
        return address != null && shard.refusalFor(address) == null;
    }

    /**
     * Asks how far the producer of a link is, whose address this node has now.
     *
     * @param then hears it; with incarnation 0 if the producer is not there. Null if this node cannot tell now
     */
    void lastNumber(NodeName node, CarriedProducer producer, Consumer<CarriedProducer> then) {
        Address address = whole(node, true);
        if (address == null) {
            then.accept(null);
        } else {
            new RelayNumbers(shard, requests, connection.description()).ask(address, producer, then);
        }
    }

    /**
     * Returns an address without parts, wherever it is; null if this node knows of none.
     *
     * @param publishes whether messages are to reach it: those to an address that moves go to its next home alone
     */
    Address whole(NodeName node, boolean publishes) {
        Address address = lookup.find(node.name());
        boolean isOne = address != null
                && node.matches(address)
                && (shard.homesOf(address).size() == 1 || publishes && shard.moveOf(address.name()) != null);
        return isOne ? address : null;
    }

    /**
     * Has a consumer get what other nodes have of its queue, if any may have a part.
     *
     * @param own serves the link at this node
     * @param hasOwn whether this node has a part
     */
    void serveOtherParts(SharedLink own, boolean hasOwn, Address queue) {
        if (front != null && shard.homesOf(queue).size() > 1) {
            new OtherParts(this, connection, front, shard, own, hasOwn, queue).begin();
        }
    }

    /** Tells whether publishers reach an address through this node that has none of its parts. */
    boolean isReached(Address address) {
        return shard.moveOf(address.name()) == null && isRead(address);
    }

    /** Tells whether consumers get what other nodes have of an address of which this node has no part. */
    boolean isRead(Address address) {
        List<Home> homes = shard.homesOf(address);
        return front != null && homes.size() > 1 && homes.stream().anyMatch(home -> RemoteHome.of(home) != null);
    }

    /**
     * Goes on with the part of an address that is in one shard of this node. Another node has chosen it, and may know
     * sooner of the address.
     */
    void resolvePart(Link<?> link, NodeName node, int number, BiConsumer<Address, Home> then) {
        if (partIn(number, node) != null) {
            openPart(link, node, number, then);
        } else {
            lookAgain(link, node, () -> openPart(link, node, number, then));
        }
    }

    private void openPart(Link<?> link, NodeName node, int number, BiConsumer<Address, Home> then) {
        Address part = partIn(number, node);
        Refusal away = part == null ? null : shard.refusalFor(part);
        if (part == null) {
            refuse(link, CarriedClient.elsewhere(node.name()));
        } else if (away != null) {
            refuse(link, Conditions.of(away));
        } else {
            then.accept(part, shard.homeOf(part));
        }
    }

    private Address partIn(int number, NodeName node) {
        Address any = lookup.find(node.name());
        return any == null || !node.matches(any)
                ? null
                : shard.homesOf(any).stream()
                        .filter(home -> home.number() == number)
                        .findFirst()
                        .map(home -> home.lookup().find(node.name()))
                        .orElse(null);
    }

    /** Returns what attaches a consumer where other nodes have parts of its topic; null if none of them has. */
    TopicParts partsElsewhere(Sender sender, Address topic, Supplier<ErrorCondition> allowed) {
        boolean isSpread = front != null && shard.homesOf(topic).stream().anyMatch(home -> home.elsewhere() != null);
        return isSpread ? new TopicParts(this, connection, front, shard, sender, topic, allowed) : null;
    }

    /** Has a link that this node serves go to the node that takes its shard over. */
    public void passOn(AmqpLink own, HandedOver to) {
        boolean stays = own instanceof PublisherLink publisher && publisher.passOn(to);
        if (!stays) {
            own.link().getLinkedResource(LinkNames.Claim.class).follow(to);
        }
    }

    /** Has another object serve a link from now on. */
    void replace(Link<?> link, AmqpLink now) {
        LinkNames.Claim claim = link.getLinkedResource(LinkNames.Claim.class);
        connection.replaced(claim.held(), now);
        claim.hold(now);
    }

    /** Returns what serves an attached link. */
    AmqpLink held(Link<?> link) {
        return link.getLinkedResource(LinkNames.Claim.class).held();
    }

    /** Goes on once what other nodes have made and deleted up to now is known here. */
    void lookAgain(Link<?> link, Runnable then) {
        when(link, () -> shard.refresh().thenApply(done -> link), known -> then.run(), notNeeded -> {});
    }

    /** Does the same for one address, of which this node may have to make parts. */
    void lookAgain(Link<?> link, NodeName node, Runnable then) {
        when(link, () -> shard.refresh(node.name()).thenApply(done -> link), known -> then.run(), notNeeded -> {});
    }

    /** Passes an answer of the catalogue on, also where another node has the address. */
    CompletionStage<FoundAddress> orElsewhere(CompletionStage<Address> asked, NodeName node) {
        return FoundAddress.of(asked, front != null, () -> elsewhere(node));
    }

    /** Goes on with a new temporary address and its home. A node without any shard has another one make it. */
    void createTemporary(Link<?> link, NodeName node, BiConsumer<Address, Home> then) {
        stays();
        beginOrWait(link, () -> makeTemporary(link, node, then));
    }

    private void makeTemporary(Link<?> link, NodeName node, BiConsumer<Address, Home> then) {
        ErrorCondition refusal = temporaries.refusal();
        if (refusal != null) {
            refuse(link, refusal);
            return;
        }
        AddressKind kind = node.kind() == null ? AddressKind.QUEUE : node.kind();
        temporaries.asked();
        when(
                link,
                () -> orElsewhere(catalog.createTemporary(kind, connection.owner()), node),
                made -> {
                    if (made.address() == null) {
                        passOn(link, made.maker(), true, () -> null);
                    } else {
                        then.accept(made.address(), shard.homeOf(made.address()));
                    }
                },
                made -> made.undo(catalog::delete),
                temporaries::answered);
    }

    /** Goes on with the catalogue's answer. @param undo for what was found if the client has gone meanwhile */
    <T> void when(Link<?> link, Supplier<CompletionStage<T>> question, Consumer<T> then, Consumer<T> undo) {
        when(link, question, then, undo, () -> {});
    }

    /** Goes on with the catalogue's answer. @param answered runs first, whatever the answer */
    private <T> void when(
            Link<?> link,
            Supplier<CompletionStage<T>> question,
            Consumer<T> then,
            Consumer<T> undo,
            Runnable answered) {
        requests.ask(
                question,
                (found, failure) -> {
                    answered.run();
                    onAnswer(link, found, failure, then, undo);
                },
                () -> names.release(link.getLinkedResource(LinkNames.Claim.class)));
    }

    private <T> void onAnswer(Link<?> link, T found, Throwable failure, Consumer<T> then, Consumer<T> undo) {
        LinkNames.Claim claim = link.getLinkedResource(LinkNames.Claim.class);
        boolean wanted = isWanted(link);
        if (wanted && failure == null && !claim.isStolen()) {
            then.accept(found);
            return;
        }
        if (failure == null) {
            undo.accept(found);
        }
        if (!wanted) {
            names.release(claim);
        } else {
            refuseUnlessWayIsMade(link, failure == null ? LinkNames.Claim.stolenCondition() : Conditions.of(failure));
        }
    }

    /** Refuses a link, unless the reason is a subscription at another node, which the client may replace. */
    void refuseUnlessWayIsMade(Link<?> link, ErrorCondition condition) {
        boolean isMade = CarriedClient.isNameElsewhere(condition)
                && link.getLinkedResource(LinkNames.Claim.class).makesWay();
        if (!isMade) {
            refuse(link, condition);
        }
    }

    /** Has the node of a home delete a subscription. @return why it does not, or null once it has */
    CompletionStage<ErrorCondition> makeWay(Sender sender, RemoteHome home, boolean shared) {
        return front.makeWay(sender, home, shared);
    }

    /** Has the nodes of a durable subscription delete it. @return why they do not, or null once they have */
    CompletionStage<ErrorCondition> unsubscribe(Sender sender, SubscriptionName named) {
        RemoteHome home = elsewhere(named);
        return home == null
                ? CompletableFuture.completedFuture(null) // it has gone meanwhile
                : front.makeWay(sender, home, named.shared());
    }

    /** Lets go of the link's name: its client has gone. */
    void release(Link<?> link) {
        names.release(link.getLinkedResource(LinkNames.Claim.class));
    }

    /** Tells whether the client still waits for the answer. */
    boolean isWanted(Link<?> link) {
        return connection.isRunning()
                && link.isRemotelyOpen()
                && link.getSession().isLocallyOpen()
                && link.getSession().isRemotelyOpen();
    }

    /** Answers the client's close when the catalogue has carried it out, or has refused with a reason. */
    static void closeAfter(CompletionStage<?> done, OpenConnection connection, Link<?> link) {
        done.whenComplete((nothing, failure) -> connection.mailbox().post(() -> {
            if (connection.isRunning() && link.isLocallyOpen()) {
                if (failure != null) {
                    link.setCondition(Conditions.of(failure));
                }
                link.close();
            }
        }));
    }

    /**
     * Attaches without a terminus and detaches, unless the link may wait until the reason has passed.
     *
     * @param condition null = the attach has said all, and needs no link
     */
    void refuse(Link<?> link, ErrorCondition condition) {
        LinkNames.Claim claim = link.getLinkedResource(LinkNames.Claim.class);
        if (link.isLocallyOpen()) { // it was passed on until now
            claim.held().detach(condition);
            return;
        }
        if (claim != null && claim.waits(condition)) {
            return;
        }
        names.release(claim);
        if (link instanceof Receiver receiver) {
            receiver.setSource(receiver.getRemoteSource());
        } else {
            link.setTarget((Target) link.getRemoteTarget());
        }
        link.open();
        if (condition != null) {
            link.setCondition(condition);
        }
        link.close();
        onRefused.accept(link);
    }
}

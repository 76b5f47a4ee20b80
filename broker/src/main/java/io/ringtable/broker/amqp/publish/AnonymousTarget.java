package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.relay.RelayedMessages;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.CreationElsewhere;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.wire.MalformedMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends each message of a link to the address that its {@code to} names (the anonymous relay). Credit reserves nothing,
 * since the next message may go anywhere. Messages for a full address wait, bounded in number, bytes and time,
 * while others pass. Messages to the management node are requests, which the node takes as on a link of its own.
 * <p>Longer than others, because each message may go to a home, to the parts of an address, or to another node.
 * <p>
 * Thread: the connection's event loop.
 */
final class AnonymousTarget implements PublisherTarget {
    /** The most addresses that the link remembers although nothing waits for them. */
    private static final int ADDRESSES_KEPT = 1_000;

    private final Publishing publishing;
    private final PublisherLink link;
    private final MessageBuilder builder;
    private final MessageFacts facts;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final CatalogRequests requests;
    private final Watermarks watermarks;
    private final ConnectionRights rights;
    private final PublisherTarget management;
    private final Map<NodeName, WaitingTransfers> addresses = new HashMap<>(); // with one part each, or not known yet
    private final Map<NodeName, RelayedMessages> passedOn = new HashMap<>(); // to other nodes
    private final Map<NodeName, PartTransfers> parts = new HashMap<>(); // of the others
    private final Set<NodeName> lookedFor = new HashSet<>(); // once more, as an owner did not have them

    /** @param management takes the messages that are for the management node */
    AnonymousTarget(Publishing publishing, PublisherLink link, PublisherTarget management) {
        this.publishing = publishing;
        this.link = link;
        this.builder = new MessageBuilder(publishing);
        this.facts = publishing.facts();
        this.shard = publishing.shard();
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.requests = publishing.requests();
        this.watermarks = publishing.watermarks();
        this.rights = publishing.rights();
        this.management = management;
    }

    @Override
    public String address() {
        return null;
    }

    @Override
    public WaitsFor waitsFor() {
        return addresses.values().stream().anyMatch(WaitingTransfers::isFull)
                        || parts.values().stream().anyMatch(PartTransfers::isFull)
                ? WaitsFor.ROOM
                : null;
    }

    @Override
    public void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        if (delivery.getMessageFormat() != 0) {
            link.reject(
                    delivery,
                    Conditions.notImplemented(
                            "RT-4045",
                            "message format " + Integer.toUnsignedString(delivery.getMessageFormat())
                                    + " is taken on links with a target address only"));
            return;
        }
        facts.read(body, 0, body.length);
        if (facts.to() == null) {
            link.reject(delivery, Conditions.invalid("RT-4046", "a message on a link without a target has no 'to'"));
            return;
        }
        NodeName node = NodeName.of(facts.to(), facts.jmsDestination());
        if (node.isManagement()) {
            stays();
            management.publish(delivery, body); // also while publishers are held back: an operator makes room
            return;
        }
        ErrorCondition refusal = shortage();
        if (refusal == null) {
            refusal = refusal(node);
        }
        if (refusal != null) {
            link.reject(delivery, refusal);
            return;
        }
        if (goesAway(delivery, node)) {
            return;
        }
        Publication publication = link.publication(delivery, List.of(body), body.length);
        RelayedMessages passingOn = passingOn(node);
        if (passingOn != null && !goesBefore(passingOn, node, publication.transaction())) {
            link.passesOn(publication);
            passOn(passingOn, publication);
            return;
        }
        try {
            publish(node, publication);
        } catch (Refusal.Refused away) {
            link.reject(delivery, Conditions.of(away.refusal()));
        }
    }

    private void stays() {
        if (publishing.front() != null) {
            publishing.front().stays();
        }
    }

    /**
     * Tells whether the client is sent to the node of its first address. It sends the message again there, unless that
     * is settled, or in a transaction: then it stays.
     */
    private boolean goesAway(IncomingDelivery delivery, NodeName node) {
        if (delivery.isRemotelySettled() || delivery.getRemoteState() != null) {
            stays();
            return false;
        }
        return publishing.front() != null && publishing.front().sendsAway(node.name(), () -> elsewhere(node));
    }

    /**
     * Tells whether a message is for this node still, which hands its shard over. It is if its transaction holds
     * something here, and it overtakes nothing.
     */
    private boolean goesBefore(RelayedMessages passingOn, NodeName node, LocalTransaction transaction) {
        WaitingTransfers before = addresses.get(node);
        return before != null && passingOn.isIdle() && before.holdsPart(transaction);
    }

    /** Returns where messages for the address go, if another node has all of it, or its next home; else null. */
    private RemoteHome elsewhere(NodeName node) {
        return publishing.front() == null ? null : RemoteHome.ofPublished(shard, node);
    }

    private void passOn(RelayedMessages messages, Publication admitted) {
        messages.send(
                admitted.delivery(), admitted.transaction(), admitted.encoded().get(0), new Answer(admitted));
    }

    /** Hears of a message that was passed on. */
    private final class Answer implements RelayedMessages.Answer {
        private final Publication publication;

        Answer(Publication publication) {
            this.publication = publication;
        }

        @Override
        public void answered(ErrorCondition refusal) {
            link.passedOn(publication, refusal);
        }

        @Override
        public void takenBack() {
            link.uncount(publication);
            if (link.isEnded()) {
                return; // its transactions have ended with it
            }
            IncomingDelivery delivery = publication.delivery();
            try {
                publish(delivery, publication.encoded().get(0));
            } catch (MalformedMessage e) {
                link.reject(delivery, Conditions.malformed(e));
            }
            if (publication.transaction() != null) {
                publication.transaction().arrivedElsewhere(); // it has been counted again
            }
        }
    }

    /** Says where an address is whose messages are passed on. */
    private RelayedMessages.Place placeOf(NodeName node) {
        return new RelayedMessages.Place() {
            @Override
            public RemoteHome home() {
                return elsewhere(node);
            }

            @Override
            public boolean isHere() {
                Address address = lookup.find(node.name());
                return address != null
                        && node.matches(address)
                        && elsewhere(node) == null
                        && shard.refusalFor(address) == null;
            }

            @Override
            public boolean looksAgain(Runnable then) {
                boolean isFirst = lookedFor.add(node);
                if (!isFirst || lookedFor.size() > ADDRESSES_KEPT) {
                    lookedFor.clear(); // the owner and the directory contradict each other
                    return false;
                }
                requests.ask(() -> shard.refresh(node.name()), (known, failure) -> then.run(), () -> {});
                return true;
            }
        };
    }

    /** Returns what passes messages on to an address that another node has; null if none is seen that does. */
    private RelayedMessages passingOn(NodeName node) {
        RelayedMessages known = passedOn.get(node);
        if (known != null && !known.isOver()) {
            return known; // it follows the address, and knows sooner where that is
        }
        WaitingTransfers before = addresses.get(node);
        if (before != null && before.address() == null && !before.isEmpty()) {
            return null; // messages wait that were sent before this node had heard of the address
        }
        RemoteHome home = elsewhere(node);
        return home == null ? waiting(node) : passingOn(node, home, false);
    }

    /** Returns what has messages wait while no node serves their address; null if one does, or nobody knows one. */
    private RelayedMessages waiting(NodeName node) {
        Address address = publishing.front() == null || node.temporary() ? null : lookup.find(node.name());
        if (address == null || !node.matches(address) || shard.homesOf(address).size() > 1) {
            return null;
        }
        Refusal away = shard.refusalFor(address);
        int home = shard.homeOf(address).number();
        WaitingTransfers before = addresses.get(node);
        if (away == null || before != null && (!before.isEmpty() || before.isMoving() || before.isServed(home))) {
            return null;
        }
        RelayedMessages messages =
                publishing.front().messages(link.link(), home, Conditions.of(away), node, placeOf(node));
        keep(node, messages);
        return messages;
    }

    private RelayedMessages passingOn(NodeName node, RemoteHome home, boolean create) {
        RelayedMessages known = passedOn.get(node);
        if (known != null && !known.isOver()) {
            return known;
        }
        RelayedMessages messages = publishing.front().messages(link.link(), home, node, create, placeOf(node));
        keep(node, messages);
        return messages;
    }

    private void keep(NodeName node, RelayedMessages messages) {
        if (passedOn.size() >= ADDRESSES_KEPT) {
            passedOn.values().stream().filter(RelayedMessages::isIdle).forEach(RelayedMessages::end);
            passedOn.values().removeIf(RelayedMessages::isIdle);
        }
        passedOn.put(node, messages);
    }

    /** Publishes a message that was read last. @throws Refusal.Refused if a home of its address is away */
    private void publish(NodeName node, Publication publication) throws MalformedMessage {
        WaitingTransfers toAddress = addresses.get(node);
        if (toAddress == null || toAddress.isEmpty() && !toAddress.isMoving()) {
            Address address = find(node);
            boolean isKnown = toAddress != null && address != null && address == toAddress.address();
            PartTransfers toParts = isKnown ? null : toParts(node, address);
            if (toParts != null) {
                toParts.publishRead(toParts.placeOf(publication.encoded().get(0)), publication);
                return;
            }
            toAddress = isKnown ? toAddress : toWhole(node, address, toAddress);
        }
        if (toAddress.address() != null) {
            toAddress.buildRead(publication);
        }
        link.admit(publication, toAddress);
    }

    /** Returns the address of that name; null if there is none that matches: the catalogue says why not. */
    private Address find(NodeName node) {
        Address address = lookup.find(node.name());
        return address != null && node.matches(address) ? address : null;
    }

    /** Returns what takes messages to an address without parts. @param toAddress took them before, or null */
    private WaitingTransfers toWhole(NodeName node, Address address, WaitingTransfers toAddress) {
        Refusal away = address == null ? null : shard.refusalFor(address);
        if (away != null
                && toAddress != null
                && toAddress.isServed(shard.homeOf(address).number())) {
            return toAddress; // the shard goes to another node, and is here until all have heard of it
        }
        if (away != null) {
            throw new Refusal.Refused(away);
        }
        toAddress = new WaitingTransfers(
                publishing, link, builder, address, address == null ? null : shard.homeOf(address));
        keep(node, toAddress);
        if (address == null) {
            resolve(node, toAddress);
        }
        return toAddress;
    }

    /** Returns what takes messages to an address with parts; null if it has none. @param address null if unknown */
    private PartTransfers toParts(NodeName node, Address address) {
        PartTransfers known = parts.get(node);
        if (known != null && (!known.isIdle() || known.isOf(address))) {
            return known;
        }
        Parts found = address == null ? null : PublisherLinks.partsOf(publishing, address);
        if (known != null) {
            parts.remove(node).drop();
        }
        if (found == null) {
            return null;
        }
        if (parts.size() >= ADDRESSES_KEPT) {
            parts.values().stream().filter(PartTransfers::isIdle).forEach(PartTransfers::drop);
            parts.values().removeIf(PartTransfers::isIdle);
        }
        PartTransfers toParts = new PartTransfers(publishing, link, builder, found);
        parts.put(node, toParts);
        return toParts;
    }

    private ErrorCondition shortage() {
        String shortage = watermarks.shortage();
        return shortage == null ? null : Conditions.limit("RT-4342", "publishers are held back: " + shortage);
    }

    private ErrorCondition refusal(NodeName node) {
        if (!node.isValid()) {
            return Conditions.invalid(
                    "RT-4047",
                    "'to' is no name of an address: 1 to " + Address.NAME_MAX
                            + " characters, none of them a control character");
        }
        ErrorCondition forbidden = rights.refusal(Permission.SEND, node.name());
        if (forbidden != null) {
            return forbidden;
        }
        if (node.temporary()) {
            Address address = lookup.find(node.name());
            boolean isThere = address == null ? elsewhere(node) != null : node.matches(address);
            return isThere ? null : Conditions.noTemporary(node);
        }
        boolean mayUse = rights.permits(Permission.CREATE, node.name()) || lookup.find(node.name()) != null;
        return mayUse ? null : rights.refusal(Permission.CREATE, node.name());
    }

    private void keep(NodeName node, WaitingTransfers toAddress) {
        if (addresses.size() >= ADDRESSES_KEPT) {
            addresses.values().removeIf(WaitingTransfers::isIdle);
        }
        addresses.put(node, toAddress);
    }

    private void resolve(NodeName node, WaitingTransfers toAddress) {
        requests.ask(
                () -> catalog.ensure(node.name(), node.kind()),
                (address, failure) -> resolved(node, toAddress, address, failure),
                () -> {}); // the link has ended, and all that waited with it
    }

    private void resolved(NodeName node, WaitingTransfers toAddress, Address address, Throwable failure) {
        if (link.isEnded()) {
            return;
        }
        PartTransfers toParts = toParts(node, failure == null ? address : find(node));
        if (toParts != null) {
            addresses.remove(node, toAddress);
            toAddress.moveTo(toParts);
        } else if (failure == null) {
            toAddress.resolved(address, shard.homeOf(address));
        } else {
            addresses.remove(node, toAddress);
            RemoteHome elsewhere = elsewhere(node); // another node has made it meanwhile
            RemoteHome maker = elsewhere != null || publishing.front() == null
                    ? elsewhere
                    : RemoteHome.of(CreationElsewhere.homeOf(failure));
            if (maker == null) {
                toAddress.unresolved(Conditions.of(failure));
            } else {
                toAddress.moveTo(publication -> passOn(passingOn(node, maker, elsewhere == null), publication));
            }
        }
    }

    /** {@inheritDoc} That counts as well of addresses for which nothing waits: their transfers may have no outcome. */
    @Override
    public boolean uses(int shard) {
        return addresses.values().stream().anyMatch(toAddress -> toAddress.uses(shard))
                || parts.values().stream().anyMatch(toParts -> toParts.uses(shard));
    }

    @Override
    public int window(int most) {
        return most;
    }

    @Override
    public int creditFor(int wanted) {
        return wanted;
    }

    /** {@inheritDoc} The next message may be for another home; those that wait say what is behind them. */
    @Override
    public boolean isStalled() {
        for (WaitingTransfers toAddress : addresses.values()) {
            if (!toAddress.isEmpty() && toAddress.isStalled()) {
                return true;
            }
        }
        for (PartTransfers toParts : parts.values()) {
            if (toParts.isStalled()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void creditGone() {
        // Credit reserved no place.
    }

    @Override
    public void policiesChanged() {
        addresses.values().forEach(WaitingTransfers::policiesChanged);
        parts.values().forEach(PartTransfers::policiesChanged);
    }

    @Override
    public ErrorCondition refusal() {
        return null; // each message is asked for by itself
    }

    // ---- another node

    private Stream<Map.Entry<NodeName, WaitingTransfers>> addressesIn(int shard) {
        return addresses.entrySet().stream().filter(each -> each.getValue().uses(shard));
    }

    /** {@inheritDoc} An address for which nothing waits is only remembered. */
    @Override
    public boolean mayHandOver(int shard) {
        return publishing.front() != null
                && addressesIn(shard)
                        .map(Map.Entry::getValue)
                        .allMatch(each -> each.isIdle()
                                || !each.isMoving() && !each.address().isTemporary());
    }

    @Override
    public boolean hasManyHomes() {
        return true;
    }

    @Override
    public void passOn(HandedOver to) {
        addressesIn(to.shard())
                .filter(each -> !each.getValue().address().isTemporary())
                .forEach(each -> {
                    RelayedMessages messages =
                            publishing.front().messages(link.link(), to, each.getKey(), placeOf(each.getKey()));
                    passedOn.put(each.getKey(), messages);
                    each.getValue().moveTo(publication -> {
                        link.goesElsewhere(publication);
                        passOn(messages, publication);
                    });
                });
        parts.values().forEach(toParts -> toParts.passOn(to));
    }

    @Override
    public AmqpLink.Handing handing(int shard) {
        boolean isIdle = addressesIn(shard).allMatch(each -> each.getValue().isIdle())
                && parts.values().stream().allMatch(each -> each.handing(shard) == AmqpLink.Handing.DONE);
        return isIdle ? AmqpLink.Handing.DONE : AmqpLink.Handing.OWES;
    }

    @Override
    public void forget(int shard) {
        List<NodeName> its = addressesIn(shard).map(Map.Entry::getKey).toList();
        its.forEach(node -> addresses.remove(node).drop());
        parts.values().forEach(toParts -> toParts.forget(shard));
    }

    @Override
    public void end() {
        addresses.values().forEach(WaitingTransfers::drop);
        addresses.clear();
        parts.values().forEach(PartTransfers::drop);
        parts.clear();
        passedOn.values().forEach(RelayedMessages::end);
        passedOn.clear();
        management.end();
    }
}

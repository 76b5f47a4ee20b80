package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.consume.ConsumerLink;
import io.ringtable.broker.amqp.consume.ConsumerLinks;
import io.ringtable.broker.amqp.consume.RemotePartsConsumer;
import io.ringtable.broker.amqp.consume.SharedLink;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.management.ManagementLinks;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Answers attach frames of clients that receive: from a queue, by a subscription of a topic, or to close a durable
 * subscription by its name.
 * <p>Longer than others, because all kinds of subscriptions are told apart in one place.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConsumerAttach {
    private static final Symbol COPY = Symbol.valueOf("copy");

    private final OpenConnection connection;
    private final AttachSteps steps;
    private final ConsumerLinks links;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final Temporaries temporaries;
    private final ConnectionRights rights;
    private final ManagementLinks management;

    public ConsumerAttach(
            OpenConnection connection,
            AttachSteps steps,
            ConsumerLinks links,
            Shard shard,
            Temporaries temporaries,
            ManagementLinks management) {
        this.connection = connection;
        this.steps = steps;
        this.links = links;
        this.shard = shard;
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.temporaries = temporaries;
        this.rights = links.rights();
        this.management = management;
    }

    public void onAttach(Sender sender) {
        if (!connection.isRunning()) {
            return;
        }
        Source source = sender.getRemoteSource();
        ErrorCondition refusal = steps.linkRefusal();
        if (refusal != null) {
            steps.refuse(sender, refusal);
        } else if (source == null) {
            findSubscription(sender);
        } else if (isManagement(source)) {
            steps.claim(sender, true, () -> openManagement(sender, source));
        } else {
            attach(sender, source);
        }
    }

    /** Refuses an attach before anything is judged. @param refusal null = the attach has said all, and needs no link */
    public void refuse(Sender sender, ErrorCondition refusal) {
        steps.refuse(sender, refusal);
    }

    private static boolean isManagement(Source source) {
        return !source.isDynamic()
                && source.getAddress() != null
                && NodeName.of(source.getAddress()).isManagement();
    }

    private void openManagement(Sender sender, Source source) {
        ErrorCondition refusal = management.repliesRefusal(sender);
        if (refusal != null) {
            steps.refuse(sender, refusal);
            return;
        }
        source.setFilter(null); // an answer goes where its request says
        steps.stays();
        AmqpLink link = management.replies(sender);
        sender.setSource(source);
        sender.setTarget((Target) sender.getRemoteTarget());
        sender.setSenderSettleMode(SenderSettleMode.SETTLED);
        sender.setReceiverSettleMode(sender.getRemoteReceiverSettleMode());
        connection.attached(link);
        sender.open();
        sender.getLinkedResource(LinkNames.Claim.class).hold(link);
    }

    private void attach(Sender sender, Source source) {
        NodeName node = Since.node(source);
        ErrorCondition refusal = source.isDynamic()
                ? AttachSteps.dynamicRefusal(source.getAddress(), source.getDynamicNodeProperties())
                : AttachSteps.nodeRefusal(node);
        if (refusal == null) {
            refusal = sourceRefusal(source);
        }
        if (refusal == null && !source.isDynamic()) {
            refusal = rightsRefusal(source, node);
        }
        if (refusal != null) {
            steps.refuse(sender, refusal);
        } else if (source.isDynamic()) {
            steps.claim(
                    sender,
                    true,
                    () -> steps.createTemporary(
                            sender, node, (address, home) -> openDynamic(sender, source, address, home)));
        } else {
            steps.claim(sender, true, () -> {
                if (steps.mayPassOn() && isDurable(source)) {
                    SubscriptionName named = named(sender, source);
                    sender.getLinkedResource(LinkNames.Claim.class)
                            .mayMakeWay(() -> removal(sender, named).anywhere(() -> resolve(sender, source, node)));
                }
                resolve(sender, source, node);
            });
        }
    }

    private void resolve(Sender sender, Source source, NodeName node) {
        steps.resolve(
                sender,
                node,
                () -> rightsRefusal(source, node),
                (address, home) -> subscribe(sender, source, address, home));
    }

    private SubscriptionRemoval removal(Sender sender, SubscriptionName named) {
        return new SubscriptionRemoval(steps, shard, rights, sender, named);
    }

    private SubscriptionName named(Sender sender, Source source) {
        return SubscriptionName.of(connection.nameOf(sender), source.getCapabilities(), connection.containerId());
    }

    /**
     * Refuses a client that may not read the address, before anything tells whether the address exists. Whether one
     * that browses needs that permission, or subscribes to a topic, shows when the address is known.
     */
    private ErrorCondition rightsRefusal(Source source, NodeName node) {
        boolean maySubscribe = node.kind() == null && rights.permits(Permission.RECEIVE, node.name());
        return isCopy(source) && maySubscribe ? null : rights.readRefusal(permission(source, node.kind()), node.name());
    }

    private static Permission permission(Source source, AddressKind kind) {
        return isCopy(source) && kind != AddressKind.TOPIC ? Permission.BROWSE : Permission.RECEIVE;
    }

    static boolean isCopy(Source source) {
        return COPY.equals(source.getDistributionMode());
    }

    /** Tells whether a subscription of a topic outlives its link. */
    static boolean isDurable(Source source) {
        return source.getDurable() != null && source.getDurable() != TerminusDurability.NONE;
    }

    private ErrorCondition sourceRefusal(Source source) {
        if (SourceFilters.isNoLocal(source) && connection.containerId().isEmpty()) {
            return Conditions.invalid("RT-4055", "a no-local consumer needs a container id: set a client id");
        }
        try {
            SourceFilters.selector(source);
        } catch (IllegalArgumentException e) {
            return Conditions.invalid("RT-4064", e.getMessage());
        }
        try {
            Since.of(source);
            return null;
        } catch (IllegalArgumentException e) {
            return Conditions.invalid("RT-4066", e.getMessage());
        }
    }

    private void openDynamic(Sender sender, Source source, Address address, Home home) {
        source.setAddress(address.name());
        source.setDynamicNodeProperties(AttachSteps.DELETE_ON_CLOSE);
        Subscription reader = address.isQueue()
                ? home.lookup().readerOf(address)
                : home.lookup()
                        .volatileReader(
                                address,
                                connection.containerId(),
                                connection.nameOf(sender),
                                SourceFilters.selector(source),
                                SourceFilters.isNoLocal(source));
        temporaries.made(sender, address, home);
        ConsumerLink link = open(sender, source, reader, home);
        sender.closeHandler(closed -> temporaries.onDetach(link, sender::close));
        sender.detachHandler(detached -> temporaries.onDetach(link, sender::detach));
    }

    private void subscribe(Sender sender, Source source, Address address, Home home) {
        if (address.isTemporary() && !temporaries.isMine(address)) {
            steps.refuse(
                    sender,
                    Conditions.of(
                            AmqpError.RESOURCE_LOCKED,
                            "RT-4065 " + address + " is temporary: only the connection that made it receives from it"));
            return;
        }
        ErrorCondition refusal = rights.readRefusal(permission(source, address.kind()), address.name());
        if (refusal != null) {
            steps.refuse(sender, refusal);
        } else if (address.isQueue() && home.refusal() != null && steps.isRead(address)) {
            openElsewhere(sender, source, address, null, false, null);
        } else if (address.isQueue()) {
            open(sender, source, home.lookup().readerOf(address), home);
        } else {
            subscribeToTopic(sender, source, address, home, SourceFilters.selector(source));
        }
    }

    private void subscribeToTopic(Sender sender, Source source, Address topic, Home home, Selector selector) {
        boolean durable = isDurable(source);
        SubscriptionName named = named(sender, source);
        boolean noLocal = SourceFilters.isNoLocal(source);
        TopicParts others =
                steps.partsElsewhere(sender, topic, () -> rights.readRefusal(Permission.RECEIVE, topic.name()));
        if (!durable && !named.shared() && !named.global()) {
            Supplier<Subscription> reader =
                    () -> home.lookup().volatileReader(topic, named.clientId(), named.name(), selector, noLocal);
            if (others == null) {
                open(sender, source, reader.get(), home);
            } else {
                steps.when(
                        sender,
                        () -> others.attach().thenApply(done -> sender),
                        all -> serveAll(
                                others,
                                home.refusal() == null
                                        ? open(sender, source, reader.get(), home, others)
                                        : openElsewhere(sender, source, topic, null, false, others)),
                        all -> others.end());
            }
            return;
        }
        ErrorCondition refusal = named.refusal();
        if (refusal == null && noLocal && named.shared()) {
            refusal = Conditions.notImplemented("RT-4055", "a shared subscription cannot be no-local");
        }
        Subscription existing = durable ? lookup.find(named.clientId(), named.name()) : null;
        if (refusal == null && existing != null) {
            refusal = rights.ownerRefusal(existing); // the committer looks again, between changes of the catalogue
        }
        if (refusal != null) {
            steps.refuse(sender, refusal);
            return;
        }
        CatalogMailbox all = others == null ? catalog : shard.catalogWith(others);
        steps.when(
                sender,
                () -> endedIfRefused(
                        others,
                        durable
                                ? all.subscribe(
                                        rights.subscriptionUser(),
                                        topic,
                                        named.clientId(),
                                        named.name(),
                                        selector,
                                        noLocal,
                                        named.shared(),
                                        Since.of(source))
                                : all.subscribeVolatile(topic, named.clientId(), named.name(), selector)),
                subscription -> {
                    if (subscription != null) {
                        openInHome(sender, source, subscription, topic, home, others);
                    } else {
                        SubscriptionName ends = durable ? named : null;
                        serveAll(others, openElsewhere(sender, source, topic, ends, named.shared(), others));
                    }
                },
                subscription -> {
                    if (subscription != null) {
                        catalog.leave(subscription);
                    }
                    if (others != null) {
                        others.end();
                    }
                });
    }

    /** Opens the link of a topic's consumer, whose topic may have moved since it was found. */
    private void openInHome(
            Sender sender, Source source, Subscription subscription, Address topic, Home home, TopicParts others) {
        Address its = subscription.address();
        Address now = its.quota().isClosed() && others == null ? lookup.find(its.name()) : its;
        boolean hasMoved = now != null && !now.isQueue() && !now.equals(its);
        if (hasMoved && shard.refusalFor(now) == null) { // else another node serves its consumers in the next home
            catalog.leave(subscription);
            subscribeToTopic(sender, source, now, shard.homeOf(now), SourceFilters.selector(source));
        } else {
            Home itsHome = its.equals(topic) ? home : shard.homeOf(its);
            serveAll(others, open(sender, source, subscription, itsHome, others));
        }
    }

    private static CompletionStage<Subscription> endedIfRefused(TopicParts others, CompletionStage<Subscription> made) {
        return others == null
                ? made
                : made.whenComplete((subscription, failure) -> {
                    if (failure != null) {
                        others.end();
                    }
                });
    }

    /** Has other nodes serve the link of a topic's consumer. @param others null = none do */
    private static void serveAll(TopicParts others, SharedLink link) {
        if (others != null && link == null) {
            others.end();
        } else if (others != null) {
            others.serve(link);
        }
    }

    private ConsumerLink open(Sender sender, Source source, Subscription subscription, Home home) {
        return open(sender, source, subscription, home, null);
    }

    /**
     * Opens the consumer's link.
     *
     * @param others serve it as well; null = none do
     * @return null if the broker refused it
     */
    private ConsumerLink open(Sender sender, Source source, Subscription subscription, Home home, TopicParts others) {
        if (subscription == null) {
            steps.refuse(sender, Conditions.of(AmqpError.NOT_FOUND, "RT-4058 the address was deleted meanwhile"));
            return null;
        }
        Selector selector = subscription.address().isQueue()
                ? SourceFilters.selector(source)
                : null; // on a topic the subscription selects
        source.setFilter(SourceFilters.applied(
                source, selector != null || subscription.selector() != null, subscription.noLocal()));
        boolean browses = subscription.address().isQueue() && isCopy(source);
        ConsumerLink link = new ConsumerLink(links, sender, subscription, home, selector, browses);
        Runnable begin = sharing(others, link, link::begin);
        if (sender.isLocallyOpen()) { // another node has served it until now
            steps.replace(sender, link);
            begin.run();
            link.checkRights();
            return link;
        }
        if (link.isPartOfOldHome()) {
            sender.setProperties(Map.of(RingtableSymbols.OLD_HOME, true));
        }
        answer(sender, source, link, begin);
        if (subscription.address().isQueue()) {
            steps.serveOtherParts(link, true, subscription.address());
        }
        return link;
    }

    /**
     * Opens the link of a consumer that gets all from other nodes: this one has no part of the address.
     *
     * @param ends the durable subscription that a close of the link deletes; null = none
     * @param isOfMany whether that one stays as long as other links read it
     * @param others serve it; null = those that the link finds itself
     */
    private RemotePartsConsumer openElsewhere(
            Sender sender, Source source, Address address, SubscriptionName ends, boolean isOfMany, TopicParts others) {
        source.setFilter(
                SourceFilters.applied(source, SourceFilters.selector(source) != null, SourceFilters.isNoLocal(source)));
        RemotePartsConsumer link = new RemotePartsConsumer(
                links,
                sender,
                address,
                address.isQueue() && isCopy(source),
                ends == null ? null : () -> steps.unsubscribe(sender, ends),
                isOfMany);
        answer(sender, source, link, sharing(others, link, link::begin));
        if (address.isQueue()) {
            steps.serveOtherParts(link, false, address);
        }
        return link;
    }

    /** Has the link share its credit before it begins: the client may have given some, and others may come first. */
    private static Runnable sharing(TopicParts others, SharedLink link, Runnable begin) {
        return () -> {
            if (others != null) {
                others.share(link);
            }
            begin.run();
        };
    }

    private void answer(Sender sender, Source source, AmqpLink link, Runnable begin) {
        sender.setSource(source);
        sender.setTarget((Target) sender.getRemoteTarget());
        sender.setSenderSettleMode(sender.getRemoteSenderSettleMode());
        sender.setReceiverSettleMode(sender.getRemoteReceiverSettleMode());
        connection.attached(link);
        sender.open();
        begin.run();
        sender.getLinkedResource(LinkNames.Claim.class).hold(link);
        link.checkRights(); // the rules may have changed since the attach was judged
    }

    /** Answers an attach without a source, which asks for a durable subscription by its name, to close it. */
    private void findSubscription(Sender sender) {
        steps.stays();
        SubscriptionName named = SubscriptionName.of(
                connection.nameOf(sender), sender.getRemoteDesiredCapabilities(), connection.containerId());
        if (isCarriedToMakeWay(sender)) {
            boolean shared = Boolean.TRUE.equals(sender.getRemoteProperties().get(RingtableSymbols.MAKES_WAY));
            steps.claim(sender, true, () -> removal(sender, named).here(shared, () -> steps.refuse(sender, null)));
            return;
        }
        Subscription subscription = lookup.find(named.clientId(), named.name());
        if (subscription == null && steps.mayPassOn()) {
            Runnable look = () -> steps.lookAgain(sender, () -> passOn(sender, named));
            steps.claim(sender, true, () -> steps.beginOrWait(sender, look));
            return;
        }
        openToClose(sender, named, subscription);
    }

    private boolean isCarriedToMakeWay(Sender sender) {
        return connection.isCarried()
                && sender.getRemoteProperties() != null
                && sender.getRemoteProperties().containsKey(RingtableSymbols.MAKES_WAY);
    }

    /** Attaches to a subscription of this node, which ends with the link. @param subscription null if there is none */
    private void openToClose(Sender sender, SubscriptionName named, Subscription subscription) {
        ErrorCondition refusal = subscription == null ? null : rights.ownerRefusal(subscription);
        if (refusal != null) {
            steps.refuse(sender, refusal);
        } else if (subscription == null) {
            steps.refuse(sender, unknown(named));
        } else {
            sender.setSource(sourceOf(subscription));
            sender.setTarget((Target) sender.getRemoteTarget());
            sender.detachHandler(link -> sender.detach());
            sender.closeHandler(link -> AttachSteps.closeAfter(
                    catalog.unsubscribe(rights.subscriptionUser(), subscription), connection, sender));
            sender.open();
        }
    }

    /** Passes an attach on that asks for a subscription which this node does not have. */
    private void passOn(Sender sender, SubscriptionName named) {
        RemoteHome elsewhere = steps.elsewhere(named);
        if (elsewhere != null) {
            steps.passOn(sender, elsewhere, () -> null);
            return;
        }
        Subscription subscription = lookup.find(named.clientId(), named.name());
        if (subscription != null) {
            steps.release(sender); // its shard has just come here, and no link of this node serves it
        }
        openToClose(sender, named, subscription);
    }

    private ErrorCondition unknown(SubscriptionName named) {
        Refusal away = shard.refusalFor(named.clientId(), named.name());
        return away != null
                ? Conditions.of(away)
                : Conditions.of(
                        AmqpError.NOT_FOUND,
                        "RT-4059 there is no durable subscription '" + Printable.value(named.name())
                                + (named.global()
                                        ? "' without a client id"
                                        : "' of client '" + Printable.value(named.clientId()) + "'"));
    }

    private static Source sourceOf(Subscription subscription) {
        List<Symbol> capabilities = new ArrayList<>(List.of(NodeName.TOPIC));
        if (subscription.shared()) {
            capabilities.add(SubscriptionName.SHARED);
            if (subscription.clientId().isEmpty()) {
                capabilities.add(SubscriptionName.GLOBAL);
            }
        }
        return new Source()
                .setAddress(subscription.address().name())
                .setDurable(TerminusDurability.UNSETTLED_STATE)
                .setExpiryPolicy(TerminusExpiryPolicy.NEVER)
                .setDistributionMode(COPY)
                .setFilter(SourceFilters.of(subscription))
                .setCapabilities(capabilities.toArray(Symbol[]::new));
    }
}

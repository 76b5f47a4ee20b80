package io.ringtable.broker.amqp;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;

/**
 * Answers attach frames: finds or creates what the client names, or refuses by attaching without a terminus and
 * detaching with the reason (AMQP 1.0 section 2.6.3).
 * <p>
 * Thread: the connection's event loop; answers of the catalogue come back through the mailbox.
 */
final class Attaching {
    private static final Symbol COPY = Symbol.valueOf("copy");
    private static final Symbol LIFETIME_POLICY = Symbol.valueOf("lifetime-policy");
    private static final Map<Symbol, Object> DELETE_ON_CLOSE = Map.of(LIFETIME_POLICY, DeleteOnClose.getInstance());

    private final AmqpConnection connection;

    Attaching(AmqpConnection connection) {
        this.connection = connection;
    }

    private CatalogLookup lookup() {
        return connection.shard().lookup();
    }

    private CatalogMailbox catalog() {
        return connection.shard().catalog();
    }

    // ---- publishers

    void onPublisher(Receiver receiver) {
        if (!connection.isRunning()) {
            return; // it has been refused and is closing: what was sent ahead is not served
        }
        receiver.deliveryReadHandler(early -> failEarly(receiver)); // until there is a link that reads them
        ErrorCondition refusal = linkRefusal();
        if (refusal == null && receiver.getRemoteTarget() instanceof Coordinator) {
            claim(receiver, false, () -> openCoordinator(receiver));
            return;
        }
        Target target = refusal == null ? receiver.getRemoteTarget() : null;
        boolean anonymous = target == null || target.getAddress() == null && !target.isDynamic();
        NodeName node = null;
        if (refusal == null && !anonymous) {
            node = NodeName.of(target.getAddress() == null ? "" : target.getAddress(), target.getCapabilities());
            refusal = target.isDynamic()
                    ? dynamicRefusal(target.getAddress(), target.getDynamicNodeProperties())
                    : nodeRefusal(node);
        }
        ProducerTerms producer = ProducerTerms.of(receiver);
        if (refusal == null && producer != null) {
            refusal = producer.refusal(!anonymous && !target.isDynamic());
        }
        Deletion deletion = refusal == null ? Deletion.of(connection, receiver, node) : null;
        if (deletion != null) {
            refusal = deletion.refusal();
        }
        if (refusal != null) {
            refuse(receiver, refusal);
            return;
        }
        if (deletion != null) {
            deletion.open();
            return;
        }
        NodeName named = node;
        claim(receiver, false, () -> {
            if (anonymous) {
                open(receiver, target, new AnonymousLink(connection, receiver));
            } else if (target.isDynamic()) {
                create(receiver, named, address -> openDynamic(receiver, target, address));
            } else if (producer != null) {
                resolve(receiver, named, address -> attend(receiver, target, address, producer));
            } else {
                resolve(
                        receiver,
                        named,
                        address -> open(receiver, target, new IncomingLink(connection, receiver, address)));
            }
        });
    }

    /** A transfer before the attach has its answer, or after a refusal: nobody would ever read what the engine keeps of it. */
    private void failEarly(Receiver receiver) {
        connection.fail(new ProtocolViolationException(
                LinkError.TRANSFER_LIMIT_EXCEEDED,
                "RT-4042 a transfer without credit on link '" + Printable.value(receiver.getName()) + "'"));
    }

    /** Its messages come with numbers; whoever opens the same producer after it fences it. */
    private void attend(Receiver receiver, Target target, Address address, ProducerTerms terms) {
        AtomicReference<IncomingLink> link = new AtomicReference<>(); // the event loop's
        Runnable fenced = () -> connection.mailbox().post(() -> {
            if (link.get() != null) {
                link.get().detach(ProducerTerms.FENCED);
            }
        });
        when(
                receiver,
                () -> catalog().attend(address, terms.name(), terms.incarnation(), connection.owner(), fenced),
                producer -> {
                    link.set(new IncomingLink(connection, receiver, address, producer));
                    receiver.setProperties(terms.answer(producer));
                    open(receiver, target, link.get());
                },
                catalog()::leave);
    }

    private void openCoordinator(Receiver receiver) {
        CoordinatorLink link = new CoordinatorLink(connection, receiver);
        receiver.setSource(receiver.getRemoteSource());
        receiver.setTarget(CoordinatorLink.terminus());
        receiver.setSenderSettleMode(receiver.getRemoteSenderSettleMode());
        receiver.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        connection.attached(link);
        receiver.open();
        link.begin();
        receiver.getLinkedResource(LinkNames.Claim.class).hold(link);
    }

    /** As JMS clients ask for a temporary destination: by a link that sends to it. */
    private void openDynamic(Receiver receiver, Target target, Address address) {
        target.setAddress(address.name());
        target.setDynamicNodeProperties(DELETE_ON_CLOSE);
        IncomingLink link = new IncomingLink(connection, receiver, address);
        connection.temporaries().made(receiver, address);
        receiver.closeHandler(closed -> connection.temporaries().onDetach(link, receiver::close));
        receiver.detachHandler(detached -> connection.temporaries().onDetach(link, receiver::detach));
        open(receiver, target, link);
    }

    private void open(Receiver receiver, Target target, PublisherLink link) {
        receiver.setSource(receiver.getRemoteSource());
        receiver.setTarget(target == null ? new Target() : target);
        receiver.setSenderSettleMode(receiver.getRemoteSenderSettleMode());
        receiver.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        receiver.setMaxMessageSize(UnsignedLong.valueOf(connection.settings().maxMessageSize()));
        connection.attached(link);
        receiver.open();
        link.wantCredit();
        receiver.getLinkedResource(LinkNames.Claim.class).hold(link);
    }

    // ---- consumers

    void onConsumer(Sender sender) {
        if (!connection.isRunning()) {
            return;
        }
        Source source = sender.getRemoteSource();
        ErrorCondition refusal = linkRefusal();
        if (refusal != null) {
            refuse(sender, refusal);
        } else if (source == null) {
            findSubscription(sender);
        } else {
            NodeName node = Since.node(source);
            refusal = source.isDynamic()
                    ? dynamicRefusal(source.getAddress(), source.getDynamicNodeProperties())
                    : nodeRefusal(node);
            if (refusal == null) {
                refusal = sourceRefusal(source);
            }
            if (refusal != null) {
                refuse(sender, refusal);
            } else if (source.isDynamic()) {
                claim(sender, true, () -> create(sender, node, address -> openDynamic(sender, source, address)));
            } else {
                claim(sender, true, () -> resolve(sender, node, address -> subscribe(sender, source, address)));
            }
        }
    }

    private ErrorCondition sourceRefusal(Source source) {
        if (SourceFilters.isNoLocal(source) && connection.containerId().isEmpty()) {
            return Conditions.invalid("RT-4055", "no-local needs a container id: set a client id");
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

    private void openDynamic(Sender sender, Source source, Address address) {
        source.setAddress(address.name());
        source.setDynamicNodeProperties(DELETE_ON_CLOSE);
        Subscription reader = address.isQueue()
                ? lookup().readerOf(address)
                : lookup().volatileReader(
                                address,
                                connection.containerId(),
                                sender.getName(),
                                SourceFilters.selector(source),
                                SourceFilters.isNoLocal(source));
        connection.temporaries().made(sender, address);
        OutgoingLink link = open(sender, source, reader);
        sender.closeHandler(closed -> connection.temporaries().onDetach(link, sender::close));
        sender.detachHandler(detached -> connection.temporaries().onDetach(link, sender::detach));
    }

    private void subscribe(Sender sender, Source source, Address address) {
        if (address.isTemporary() && !connection.temporaries().isMine(address)) {
            refuse(
                    sender,
                    Conditions.of(
                            AmqpError.RESOURCE_LOCKED,
                            "RT-4065 " + address + " is temporary: only the connection that made it receives from it"));
            return;
        }
        if (address.isQueue()) {
            open(sender, source, lookup().readerOf(address));
        } else {
            subscribeToTopic(sender, source, address, SourceFilters.selector(source));
        }
    }

    private void subscribeToTopic(Sender sender, Source source, Address topic, Selector selector) {
        boolean durable = source.getDurable() != null && source.getDurable() != TerminusDurability.NONE;
        SubscriptionName named =
                SubscriptionName.of(sender.getName(), source.getCapabilities(), connection.containerId());
        boolean noLocal = SourceFilters.isNoLocal(source);
        if (!durable && !named.shared() && !named.global()) {
            open(sender, source, lookup().volatileReader(topic, named.clientId(), named.name(), selector, noLocal));
            return;
        }
        ErrorCondition refusal = named.refusal();
        if (refusal == null && noLocal && named.shared()) {
            refusal = Conditions.notImplemented("RT-4055", "there is no no-local on shared subscriptions");
        }
        if (refusal != null) {
            refuse(sender, refusal);
            return;
        }
        when(
                sender,
                () -> durable
                        ? catalog()
                                .subscribe(
                                        connection.user(),
                                        topic,
                                        named.clientId(),
                                        named.name(),
                                        selector,
                                        noLocal,
                                        named.shared(),
                                        Since.of(source))
                        : catalog().subscribeVolatile(topic, named.clientId(), named.name(), selector),
                subscription -> open(sender, source, subscription),
                catalog()::leave);
    }

    /** @return null if it was refused */
    private OutgoingLink open(Sender sender, Source source, Subscription subscription) {
        if (subscription == null) {
            refuse(sender, Conditions.of(AmqpError.NOT_FOUND, "RT-4058 it has been deleted meanwhile"));
            return null;
        }
        Selector selector = subscription.address().isQueue()
                ? SourceFilters.selector(source)
                : null; // a topic's is the subscription's
        source.setFilter(SourceFilters.applied(
                source, selector != null || subscription.selector() != null, subscription.noLocal()));
        boolean browses = subscription.address().isQueue() && COPY.equals(source.getDistributionMode());
        OutgoingLink link = new OutgoingLink(connection, sender, subscription, selector, browses);
        sender.setSource(source);
        sender.setTarget((Target) sender.getRemoteTarget());
        sender.setSenderSettleMode(sender.getRemoteSenderSettleMode());
        sender.setReceiverSettleMode(sender.getRemoteReceiverSettleMode());
        connection.attached(link);
        sender.open();
        link.begin();
        sender.getLinkedResource(LinkNames.Claim.class).hold(link);
        return link;
    }

    /** An attach without a source asks for a durable subscription by its name, to close it. */
    private void findSubscription(Sender sender) {
        SubscriptionName named =
                SubscriptionName.of(sender.getName(), sender.getRemoteDesiredCapabilities(), connection.containerId());
        Subscription subscription = lookup().find(named.clientId(), named.name());
        if (subscription == null) {
            refuse(
                    sender,
                    Conditions.of(
                            AmqpError.NOT_FOUND,
                            "RT-4059 there is no durable subscription '" + Printable.value(named.name())
                                    + (named.global()
                                            ? "' without a client id"
                                            : "' of client '" + Printable.value(named.clientId()) + "'")));
        } else {
            sender.setSource(sourceOf(subscription));
            sender.setTarget((Target) sender.getRemoteTarget());
            sender.detachHandler(link -> sender.detach());
            sender.closeHandler(link -> unsubscribe(sender, subscription));
            sender.open();
        }
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

    private void unsubscribe(Sender sender, Subscription subscription) {
        catalog()
                .unsubscribe(connection.user(), subscription)
                .whenComplete((done, failure) -> connection.mailbox().post(() -> {
                    if (connection.isRunning() && sender.isLocallyOpen()) {
                        if (failure != null) {
                            sender.setCondition(Conditions.of(failure));
                        }
                        sender.close();
                    }
                }));
    }

    // ---- both

    private ErrorCondition linkRefusal() {
        int most = connection.settings().linksMax();
        return connection.linkCount() < most
                ? null
                : Conditions.limit("RT-4061", "too many links on one connection: amqp.links-max=" + most);
    }

    /** AMQP 1.0 section 3.5.3: whoever wants a node made does not name it. */
    private static ErrorCondition dynamicRefusal(String name, Map<Symbol, Object> properties) {
        if (name != null && !name.isEmpty()) {
            return Conditions.invalid(
                    "RT-4062", "a dynamic node has no address yet, not '" + Printable.value(name) + "'");
        }
        Object lifetime = properties == null ? null : properties.get(LIFETIME_POLICY);
        if (lifetime != null && !(lifetime instanceof DeleteOnClose)) {
            return Conditions.notImplemented(
                    "RT-4062", "a dynamic node lives as long as its link: ask for delete-on-close");
        }
        return null;
    }

    private static ErrorCondition nodeRefusal(NodeName node) {
        if (!node.isValid()) {
            return Conditions.invalid(
                    "RT-4047",
                    "no name of an address: 1 to " + Address.NAME_MAX
                            + " characters, none of them a control character");
        }
        return null;
    }

    private void claim(Link<?> link, boolean consumer, Runnable then) {
        // The claim must be there before anything that goes on with it.
        LinkNames names = connection.server().linkNames();
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
        names.claim(connection, consumer, link.getName(), link::setLinkedResource, goOn);
    }

    private void resolve(Link<?> link, NodeName node, Consumer<Address> then) {
        Address address = lookup().find(node.name());
        if (address != null && node.matches(address)) {
            then.accept(address);
        } else if (node.temporary()) {
            refuse(link, Conditions.noTemporary(node));
        } else {
            when(link, () -> catalog().ensure(node.name(), node.kind()), then, notNeeded -> {});
        }
    }

    private void create(Link<?> link, NodeName node, Consumer<Address> then) {
        Temporaries temporaries = connection.temporaries();
        ErrorCondition refusal = temporaries.refusal();
        if (refusal != null) {
            refuse(link, refusal);
            return;
        }
        AddressKind kind = node.kind() == null ? AddressKind.QUEUE : node.kind();
        temporaries.asked();
        when(
                link,
                () -> catalog().createTemporary(kind, connection.owner()),
                then,
                catalog()::delete,
                temporaries::answered);
    }

    private <T> void when(Link<?> link, Supplier<CompletionStage<T>> stage, Consumer<T> then, Consumer<T> undo) {
        when(link, stage, then, undo, () -> {});
    }

    /**
     * @param undo for what was found although the client has gone meanwhile
     * @param answered runs before anything else, whatever the answer
     */
    private <T> void when(
            Link<?> link,
            Supplier<CompletionStage<T>> question,
            Consumer<T> then,
            Consumer<T> undo,
            Runnable answered) {
        connection
                .requests()
                .ask(
                        question,
                        (found, failure) -> {
                            answered.run();
                            onAnswer(link, found, failure, then, undo);
                        },
                        () -> connection.server().linkNames().release(link.getLinkedResource(LinkNames.Claim.class)));
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
            connection.server().linkNames().release(claim);
        } else {
            refuse(link, failure == null ? LinkNames.Claim.stolenCondition() : Conditions.of(failure));
        }
    }

    /** Whether the client still waits for the answer. */
    private boolean isWanted(Link<?> link) {
        return connection.isRunning()
                && link.isRemotelyOpen()
                && link.getSession().isLocallyOpen()
                && link.getSession().isRemotelyOpen();
    }

    private void refuse(Link<?> link, ErrorCondition condition) {
        connection.server().linkNames().release(link.getLinkedResource(LinkNames.Claim.class));
        if (link instanceof Receiver receiver) {
            receiver.setSource(receiver.getRemoteSource());
        } else {
            link.setTarget((Target) link.getRemoteTarget());
        }
        link.open();
        link.setCondition(condition);
        link.close();
        connection.refused(link);
    }
}

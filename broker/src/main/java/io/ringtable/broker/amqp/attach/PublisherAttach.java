package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedPart;
import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.OpenTransfer;
import io.ringtable.broker.amqp.management.ManagementLinks;
import io.ringtable.broker.amqp.numbering.RelayNumbers;
import io.ringtable.broker.amqp.publish.PublisherLink;
import io.ringtable.broker.amqp.publish.PublisherLinks;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.amqp.transaction.CoordinatorLink;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.RingtableSymbols;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;

/**
 * Answers attach frames of clients that publish: to an address, to no address in particular, or to the transaction
 * coordinator.
 * <p>
 * Thread: the connection's event loop.
 */
public final class PublisherAttach {
    private final OpenConnection connection;
    private final AttachSteps steps;
    private final Publishing publishing;
    private final Temporaries temporaries;
    private final ManagementLinks management;

    public PublisherAttach(
            AttachSteps steps, Publishing publishing, Temporaries temporaries, ManagementLinks management) {
        this.connection = publishing.connection();
        this.steps = steps;
        this.publishing = publishing;
        this.temporaries = temporaries;
        this.management = management;
    }

    public void onAttach(Receiver receiver) {
        if (!connection.isRunning()) {
            return; // the broker has refused the connection and ignores what the client sent ahead
        }
        receiver.deliveryReadHandler(early -> failEarly(receiver, early)); // until a link reads them
        ErrorCondition refusal = steps.linkRefusal();
        if (refusal != null) {
            steps.refuse(receiver, refusal);
        } else if (receiver.getRemoteTarget() instanceof Coordinator) {
            steps.claim(receiver, false, () -> openCoordinator(receiver));
        } else {
            attach(receiver, receiver.getRemoteTarget());
        }
    }

    /** Refuses an attach before anything is judged. @param refusal null = the attach has said all, and needs no link */
    public void refuse(Receiver receiver, ErrorCondition refusal) {
        receiver.deliveryReadHandler(early -> failEarly(receiver, early));
        steps.refuse(receiver, refusal);
    }

    /**
     * Fails on a transfer before the answer to its attach, or after a refusal: nothing would read what protonj2 keeps
     * of it.
     */
    private void failEarly(Receiver receiver, IncomingDelivery early) {
        PublisherLinks.discard(early);
        connection.fail(new ProtocolViolationException(
                LinkError.TRANSFER_LIMIT_EXCEEDED,
                "RT-4042 transfer without credit on link '" + Printable.value(connection.nameOf(receiver)) + "'"));
    }

    private void attach(Receiver receiver, Target target) {
        boolean anonymous = target == null || target.getAddress() == null && !target.isDynamic();
        NodeName node = anonymous
                ? null
                : NodeName.of(target.getAddress() == null ? "" : target.getAddress(), target.getCapabilities());
        ProducerTerms producer = ProducerTerms.of(receiver);
        ErrorCondition refusal = anonymous ? null : targetRefusal(target, node);
        boolean deletes = Deletion.isAsked(receiver);
        boolean manages = node != null && node.isManagement() && !deletes;
        if (refusal == null && node != null && !target.isDynamic() && !manages) {
            refusal = publishing.rights().refusal(deletes ? Permission.DELETE : Permission.SEND, node.name());
        }
        if (refusal == null && producer != null) {
            refusal = producer.refusal(!anonymous && !target.isDynamic() && !manages);
        }
        if (refusal != null) {
            steps.refuse(receiver, refusal);
        } else if (deletes) {
            steps.stays();
            new Deletion(publishing, management, steps, receiver, node).attach();
        } else {
            steps.claim(receiver, false, () -> attachClaimed(receiver, target, node, producer));
        }
    }

    private static ErrorCondition targetRefusal(Target target, NodeName node) {
        return target.isDynamic()
                ? AttachSteps.dynamicRefusal(target.getAddress(), target.getDynamicNodeProperties())
                : AttachSteps.nodeRefusal(node);
    }

    /** Goes on after the claim. @param node null if the link publishes to no address in particular */
    private void attachClaimed(Receiver receiver, Target target, NodeName node, ProducerTerms producer) {
        if (node == null) {
            open(receiver, target, PublisherLinks.anonymous(publishing, receiver, management::relayed));
        } else if (node.isManagement()) {
            openManagement(receiver, target);
        } else if (target.isDynamic()) {
            steps.createTemporary(receiver, node, (address, home) -> openDynamic(receiver, target, address, home));
        } else if (producer != null) {
            steps.resolve(
                    receiver,
                    node,
                    mayPublish(node),
                    (address, home) -> attendWhole(receiver, target, address, home, producer));
        } else if (connection.isCarried() && CarriedPart.of(receiver) >= 0) {
            steps.resolvePart(
                    receiver,
                    node,
                    CarriedPart.of(receiver),
                    (part, home) -> attachPart(receiver, target, part, home, CarriedProducer.of(receiver)));
        } else {
            steps.resolve(receiver, node, mayPublish(node), (address, home) -> {
                if (receiver.isLocallyOpen()) {
                    adopt(receiver, address, home);
                } else if (connection.isCarried() && CarriedProducer.of(receiver) != null && !address.isTemporary()) {
                    attendForRelay(
                            receiver,
                            target,
                            address,
                            home,
                            CarriedProducer.of(receiver),
                            taken -> PublisherLinks.toAddress(publishing, receiver, address, home, taken),
                            () -> openPlain(receiver, target, address, home));
                } else {
                    openPlain(receiver, target, address, home);
                }
            });
        }
    }

    private void openPlain(Receiver receiver, Target target, Address address, Home home) {
        if (isForChooser(receiver, address)) {
            steps.refuse(receiver, CarriedClient.elsewhere(address.name()));
            return;
        }
        Map<Symbol, Object> told = duplicateIds(receiver);
        if (!told.isEmpty()) {
            receiver.setProperties(told);
        }
        open(receiver, target, PublisherLinks.toAddress(publishing, receiver, address, home, null));
    }

    /** Goes on with a link to one part. @param asked producer of its transfers; null if they have no numbers */
    private void attachPart(Receiver receiver, Target target, Address part, Home home, CarriedProducer asked) {
        Function<Producer, PublisherLink> links =
                producer -> PublisherLinks.toPart(publishing, receiver, part, home, producer);
        Runnable plain = () -> open(receiver, target, links.apply(null));
        if (asked == null || part.isTemporary()) {
            plain.run();
        } else {
            attendForRelay(receiver, target, part, home, asked, links, plain);
        }
    }

    /**
     * Opens a link whose transfers the node that carries it has numbered. Where the producer cannot be had, the link
     * has none, and the answer says so.
     *
     * @param links makes it
     * @param plain opens it without a producer
     */
    private void attendForRelay(
            Receiver receiver,
            Target target,
            Address address,
            Home home,
            CarriedProducer asked,
            Function<Producer, PublisherLink> links,
            Runnable plain) {
        AtomicReference<PublisherLink> link = new AtomicReference<>(); // the event loop's
        Runnable fenced = () -> connection.mailbox().post(() -> {
            if (link.get() != null) {
                link.get().detach(ProducerTerms.FENCED);
            }
        });
        ProducerUser node = ProducerUser.relay(connection.description());
        steps.when(
                receiver,
                () -> home.catalog()
                        .attend(node, address, asked.name(), asked.incarnation(), fenced)
                        .handle(PublisherAttach::orNone),
                producer -> {
                    if (producer == null || isForChooser(receiver, address)) {
                        if (producer != null) {
                            home.catalog().leave(producer);
                        }
                        plain.run();
                        return;
                    }
                    link.set(links.apply(producer));
                    Map<Symbol, Object> said =
                            CarriedProducer.of(asked.name(), producer).said();
                    said.putAll(duplicateIds(receiver));
                    receiver.setProperties(said);
                    open(receiver, target, link.get());
                },
                producer -> {
                    if (producer != null) {
                        home.catalog().leave(producer);
                    }
                });
    }

    /** Passes the answer of the catalogue on, but null if the producer alone is refused. */
    private static Producer orNone(Producer producer, Throwable failure) {
        if (failure == null || RelayNumbers.isAboutProducer(failure)) {
            return producer;
        }
        throw failure instanceof CompletionException told ? told : new CompletionException(failure);
    }

    /** Tells whether another node carries the link, and is to choose among the parts that it had not known. */
    private boolean isForChooser(Receiver receiver, Address address) {
        return connection.isCarried()
                && CarriedPart.of(receiver) == CarriedPart.WHOLE
                && publishing.shard().partsOf(address) != null;
    }

    private Supplier<ErrorCondition> mayPublish(NodeName node) {
        return () -> publishing.rights().refusal(Permission.SEND, node.name());
    }

    /** Returns what tells a publisher that asks how many messages it may send again under their duplicate ids. */
    private Map<Symbol, Object> duplicateIds(Receiver receiver) {
        Map<Symbol, Object> asked = receiver.getRemoteProperties();
        return asked != null && asked.containsKey(RingtableSymbols.DUPLICATE_IDS)
                ? Map.of(RingtableSymbols.DUPLICATE_IDS, publishing.shard().duplicateIds())
                : Map.of();
    }

    private void attendWhole(Receiver receiver, Target target, Address address, Home home, ProducerTerms terms) {
        Parts parts = publishing.shard().partsOf(address);
        if (parts == null) {
            attend(receiver, target, address, home, terms);
        } else {
            steps.refuse(
                    receiver,
                    Conditions.notImplemented(
                            "RT-4522",
                            address + " has " + parts.all().size()
                                    + " parts, and the numbers of a producer are those of one. Publish without a"
                                    + " producer id, and give each message a duplicate id (_AMQ_DUPL_ID)"));
        }
    }

    /** Opens a link whose messages have numbers; a later opening of the same producer fences it. */
    private void attend(Receiver receiver, Target target, Address address, Home home, ProducerTerms terms) {
        AtomicReference<PublisherLink> link = new AtomicReference<>(); // the event loop's
        Runnable fenced = () -> connection.mailbox().post(() -> {
            if (link.get() != null) {
                link.get().detach(ProducerTerms.FENCED);
            }
        });
        steps.when(
                receiver,
                () -> home.catalog().attend(producerUser(address), address, terms.name(), terms.incarnation(), fenced),
                producer -> {
                    link.set(PublisherLinks.toAddress(publishing, receiver, address, home, producer));
                    receiver.setProperties(terms.answer(producer));
                    open(receiver, target, link.get());
                },
                producer -> home.catalog().leave(producer));
    }

    /** Returns the user as producers of the address ask for it. */
    private ProducerUser producerUser(Address address) {
        return new ProducerUser(
                connection.user(),
                connection.owner(),
                publishing.rights().permitsByRule(Permission.MANAGE, address.name()),
                connection.description());
    }

    /**
     * Opens a link to a new temporary address: JMS clients ask for a temporary destination by a link that sends to it.
     */
    private void openDynamic(Receiver receiver, Target target, Address address, Home home) {
        target.setAddress(address.name());
        target.setDynamicNodeProperties(AttachSteps.DELETE_ON_CLOSE);
        PublisherLink link = PublisherLinks.toAddress(publishing, receiver, address, home, null);
        temporaries.made(receiver, address, home);
        receiver.closeHandler(closed -> temporaries.onDetach(link, receiver::close));
        receiver.detachHandler(detached -> temporaries.onDetach(link, receiver::detach));
        open(receiver, target, link);
    }

    private void open(Receiver receiver, Target target, PublisherLink link) {
        receiver.setTarget(target == null ? new Target() : target);
        receiver.setMaxMessageSize(
                UnsignedLong.valueOf(publishing.settings().maxMessageSize().toBytes()));
        open(receiver, link, link::wantCredit);
    }

    /** Goes on with a link that another node has served until now, with the transfers that have not gone there. */
    private void adopt(Receiver receiver, Address address, Home home) {
        AmqpLink before = steps.held(receiver);
        List<OpenTransfer> unread = before.unread();
        PublisherLink link = PublisherLinks.toAddress(publishing, receiver, address, home, null);
        steps.replace(receiver, link);
        link.adopt(unread);
        before.unreadTaken();
        link.checkRights();
    }

    private void openManagement(Receiver receiver, Target target) {
        ErrorCondition refusal = management.requestsRefusal();
        if (refusal != null) {
            steps.refuse(receiver, refusal);
            return;
        }
        steps.stays();
        PublisherLink link = management.requests(receiver);
        receiver.setTarget(target);
        receiver.setMaxMessageSize(UnsignedLong.valueOf(management.requestBytesMax()));
        open(receiver, link, link::wantCredit);
    }

    private void openCoordinator(Receiver receiver) {
        CoordinatorLink link = new CoordinatorLink(connection, publishing.transactions(), receiver);
        receiver.setTarget(CoordinatorLink.terminus());
        open(receiver, link, link::begin);
    }

    private void open(Receiver receiver, AmqpLink link, Runnable begin) {
        receiver.setSource(receiver.getRemoteSource());
        receiver.setSenderSettleMode(receiver.getRemoteSenderSettleMode());
        receiver.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        connection.attached(link);
        receiver.open();
        begin.run();
        receiver.getLinkedResource(LinkNames.Claim.class).hold(link);
        link.checkRights(); // the rules may have changed since the attach was judged
    }
}

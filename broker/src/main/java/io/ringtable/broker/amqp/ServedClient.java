package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.attach.AttachSteps;
import io.ringtable.broker.amqp.attach.ConsumerAttach;
import io.ringtable.broker.amqp.attach.LinkNames;
import io.ringtable.broker.amqp.attach.PublisherAttach;
import io.ringtable.broker.amqp.attach.Temporaries;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.carried.HandedOverClients;
import io.ringtable.broker.amqp.carried.Redirect;
import io.ringtable.broker.amqp.consume.ConsumerLinks;
import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.frames.FramePipeline;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.management.ManagementLinks;
import io.ringtable.broker.amqp.publish.FlowControl;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Joins what the links of one client share: what they hold, what they may, what they publish and receive. The client
 * has a connection of its own, or another node carries it on one.
 * <p>
 * Thread: the connection's event loop.
 */
final class ServedClient implements ConnectionPeer, HandedOverClients.Client {
    private final OpenConnection connection;
    private final AmqpServer server;
    private final ClientEntry entry;
    private final ConnectionMemory memory;
    private final HandOff handOff;
    private final ConnectionLinks links = new ConnectionLinks();
    private final Temporaries temporaries;
    private final CatalogRequests requests;
    private final FlowControl flow;
    private final ConsumerLinks consumers;
    private final ManagementLinks management;
    private final Transactions transactions;
    private final AttachSteps steps;
    private final PublisherAttach publisherAttach;
    private final ConsumerAttach consumerAttach;
    private final Front front; // null where links go to no other node

    /**
     * Makes what serves a client without links.
     *
     * @param connection of the client, with its mailbox
     * @param entry by which the client counts
     * @param pipeline of the connection that the links are on
     * @param memory counts what the client holds
     * @param host from which the client connects
     * @param onIdle runs when the last work that was handed in has its answer
     * @param front passes links on to other nodes; null where none are, as for a client that another node carries here
     */
    ServedClient(
            OpenConnection connection,
            AmqpServer server,
            ClientEntry entry,
            FramePipeline pipeline,
            ConnectionMemory memory,
            String host,
            Runnable onIdle,
            Front front) {
        this.connection = connection;
        this.front = front;
        this.server = server;
        this.entry = entry;
        this.memory = memory;
        AmqpProperties settings = server.settings();
        AmqpCounters counters = server.counters();
        Shard shard = server.shard();
        this.handOff = new HandOff(connection.mailbox(), counters, onIdle);
        this.flow = new FlowControl(connection, settings, memory, handOff, server.watermarks());
        this.requests = new CatalogRequests(connection.mailbox(), pipeline::answer);
        this.temporaries = new Temporaries(connection, settings.temporaryAddressesMax());
        this.transactions = new Transactions(connection, settings, counters, memory, handOff, shard);
        if (front != null) {
            front.serves(transactions);
        }
        ConnectionRights rights = server.rightsOf(connection);
        this.consumers = new ConsumerLinks(
                connection, counters, shard, transactions, server.addressLinks(), rights, pipeline::drained);
        Publishing publishing = new Publishing(
                connection,
                rights,
                settings,
                counters,
                shard,
                server.watermarks(),
                memory,
                handOff,
                flow,
                transactions,
                requests,
                new MessageFacts(shard.traces()),
                server.creditHolders(),
                server.waitingBytes(),
                server.addressLinks(),
                front);
        this.management = new ManagementLinks(publishing, server.managementNode(), host);
        this.steps = new AttachSteps(
                connection,
                shard,
                requests,
                server.linkNames(),
                temporaries,
                rights,
                settings.linksMax(),
                pipeline::refused,
                front);
        this.publisherAttach = new PublisherAttach(steps, publishing, temporaries, management);
        this.consumerAttach = new ConsumerAttach(connection, steps, consumers, shard, temporaries, management);
    }

    /** Begins to count what the client holds and publishes: it is known, and has entered. */
    void begin() {
        memory.begin(server.heldBytes().enter(connection.owner()));
        flow.begin(entry.limit());
    }

    /** Hears how the client wants to reach addresses of other nodes. */
    void opens(Redirect redirect) {
        if (front != null) {
            front.opens(redirect);
        }
    }

    // ---- sessions and links

    /** Counts a session of the client, and sets what its window lets in. */
    void begin(Session session) {
        int capacity = flow.beginSession();
        session.setLinkedResource(capacity);
        session.setIncomingCapacity(capacity);
    }

    /** Ends the links of a session. @param lost as in {@link AmqpLink#end} */
    void end(Session session, boolean lost) {
        links.of(session).forEach(link -> link.end(lost));
        if (front != null) {
            front.end(session, lost);
        }
        flow.sessionEnded(session.getLinkedResource(Integer.class));
    }

    /** Answers an attach of a client that publishes. */
    void onAttach(Receiver receiver) {
        publisherAttach.onAttach(receiver);
    }

    /** Answers an attach of a client that receives. */
    void onAttach(Sender sender) {
        consumerAttach.onAttach(sender);
    }

    /** Refuses an attach before anything is judged. @param refusal null = the attach has said all, and needs no link */
    void refuse(Link<?> link, ErrorCondition refusal) {
        if (link instanceof Receiver receiver) {
            publisherAttach.refuse(receiver, refusal);
        } else {
            consumerAttach.refuse((Sender) link, refusal);
        }
    }

    ConnectionLinks links() {
        return links;
    }

    Transactions transactions() {
        return transactions;
    }

    /** Removes a link that has ended. @return false if it was not attached */
    boolean ended(AmqpLink link) {
        if (!links.remove(link)) {
            return false;
        }
        temporaries.ended(link.link());
        server.linkNames().release(link.link().getLinkedResource(LinkNames.Claim.class));
        return true;
    }

    @Override
    public List<AmqpLink> linksBeside(String name) {
        return links.all();
    }

    @Override
    public void endLinks(boolean lost) {
        links.all().forEach(link -> link.end(lost));
        if (front != null) {
            front.end(lost);
        }
    }

    /** Detaches all links with the reason. */
    void detachLinks(ErrorCondition condition) {
        links.all().forEach(link -> link.detach(condition));
    }

    @Override
    public void rulesChanged() {
        if (front != null) {
            front.rulesChanged();
        }
        links.all().forEach(AmqpLink::rulesChanged);
    }

    @Override
    public void boundsChanged() {
        entry.boundsChanged();
    }

    // ---- turns

    @Override
    public void endOfBatch() {
        consumers.resumePaused();
        management.resumePaused();
        if (front != null) {
            front.resumePaused();
        }
        flow.endOfBatch();
    }

    /** Tells whether something waits for another {@link #endOfBatch}. */
    boolean hasWaiting() {
        return consumers.arePaused() || management.arePaused() || flow.hasWaiting();
    }

    @Override
    public boolean isIdle() {
        return handOff.isIdle() && (front == null || front.isIdle());
    }

    // ---- the end

    @Override
    public boolean leave(int shard, String why) {
        return links.all().stream().anyMatch(link -> link.uses(shard))
                || transactions.use(shard)
                || handOff.waitsForEnded(shard);
    }

    private List<AmqpLink> linksOf(int shard) {
        return links.all().stream().filter(link -> link.uses(shard)).toList();
    }

    /** {@inheritDoc} A client of this node's own keeps its links, which go on as links of a relay (ADR 72). */
    @Override
    public boolean handOver(HandedOver to, String why, BooleanSupplier isGone, Runnable whenDone) {
        if (front == null || !leave(to.shard(), why) || !suspend(to)) {
            return false;
        }
        new HandedOverClients(to, why, connection, isGone, whenDone, List.of(this)).goOn();
        return true;
    }

    /** Has the links of a shard come to rest. @return false if one of them cannot go to another node */
    boolean suspend(HandedOver to) {
        List<AmqpLink> its = linksOf(to.shard());
        if (!its.stream().allMatch(link -> link.mayHandOver(to.shard()))) {
            return false;
        }
        its.forEach(link -> link.suspend(to.shard()));
        if (front != null) {
            its.forEach(link -> steps.passOn(link, to));
        }
        return true;
    }

    @Override
    public boolean isThere() {
        return connection.isRunning();
    }

    @Override
    public AmqpLink.Handing handOver(HandedOver to) {
        int shard = to.shard();
        List<AmqpLink> its = linksOf(shard);
        AmqpLink.Handing last = AmqpLink.Handing.DONE;
        if (transactions.use(shard)) {
            last = transactions.areCommitting(shard) ? AmqpLink.Handing.OWES : AmqpLink.Handing.WAITS;
        }
        for (AmqpLink link : its) {
            AmqpLink.Handing handing = link.handing(shard);
            last = handing.compareTo(last) < 0 ? handing : last;
        }
        if (last == AmqpLink.Handing.DONE) {
            ErrorCondition condition = to.condition();
            its.forEach(link -> link.handOver(shard, condition));
            handOff.forget(shard);
        }
        return last;
    }

    @Override
    public void closeFor(String why) {
        connection.close(Conditions.of(ConnectionError.CONNECTION_FORCED, why), true);
    }

    @Override
    public void lost() {
        requests.lost();
        management.lost();
        memory.lost();
        entry.leave();
    }

    // ---- for operators

    /**
     * Describes the client.
     *
     * @param id of the connection, as operators know it
     * @param remote where the client is
     * @param tls version of TLS; null without it
     * @param mechanism of SASL; null without it
     * @param since when the client came
     */
    ConnectionStatus status(String id, String remote, String tls, String mechanism, Instant since) {
        return new ConnectionStatus(
                id,
                connection.isRunning(),
                connection.user(),
                connection.identity().groups().stream().sorted().toList(),
                connection.containerId(),
                remote,
                tls,
                mechanism,
                since,
                flow.sessions(),
                links.size(),
                memory.held(),
                transactions.count(),
                consumers.unsettled(),
                connection.canWrite());
    }

    /** Describes a link. @param id of the connection, as operators know it */
    LinkStatus status(AmqpLink link, String id) {
        return links.status(link, id, connection.nameOf(link.link()));
    }
}

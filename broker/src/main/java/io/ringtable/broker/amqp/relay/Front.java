package io.ringtable.broker.amqp.relay;

import io.netty.channel.EventLoop;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.carried.Redirect;
import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.amqp.numbering.NumberedTransfers;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Passes links of one client on to the nodes that own the homes of their addresses.
 * <p>
 * Thread: the event loop of the client's connection. Failure: where a relay is lost, the client's links on it wait for
 * the next owner of their shards. If one of them cannot, the connection is closed, so that the client connects again
 * (ADR 76).
 * <p>Longer than others, because all that a client has at other nodes begins and ends here.
 */
public final class Front implements Relay.User {
    /** Says what a link is to have; {@code credit} is null unless other nodes serve it too. */
    private record Wanted(
            Link<?> link,
            RemoteHome home,
            boolean create,
            SharedCredit credit,
            Supplier<ErrorCondition> rights,
            RelayAnswer answer) {}

    private final Relays relays;
    private final OpenConnection connection;
    private final EventLoop loop;
    private final RelayedTransfers transfers; // to the client
    private final String id;
    private final String host;
    private final ConnectionMemory memory;
    private final Runnable onIdle;
    private final Map<Session, List<RelayedSession>> sessions = new IdentityHashMap<>(); // by the client's
    private final Set<RelayedSession> live = new LinkedHashSet<>(); // until the owner has let go
    private final Set<RelayedConsumer> paused = new LinkedHashSet<>(); // wait for the client's window or its socket
    private Transactions transactions; // of the client
    private Redirect redirect; // null until the client has opened its connection
    private Identity told; // to the owners; null before the first
    private int tells;
    private boolean over;

    Front(
            Relays relays,
            OpenConnection connection,
            EventLoop loop,
            RelayedTransfers transfers,
            String id,
            String host,
            ConnectionMemory memory,
            Runnable onIdle) {
        this.relays = relays;
        this.connection = connection;
        this.loop = loop;
        this.transfers = transfers;
        this.id = id;
        this.host = host;
        this.memory = memory;
        this.onIdle = onIdle;
    }

    /** Hears how the client wants to reach its addresses. */
    public void opens(Redirect itsRedirect) {
        redirect = itsRedirect;
    }

    /** Hears that the client has something at this node, which a redirect would lose. */
    public void stays() {
        redirect.stays();
    }

    /**
     * Sends the client to the node that has its first address, if it asks for that.
     *
     * @param home returns that of an address which the client names and may use; null if no other node is seen that has
     *     it
     * @return whether the client's connection is closed for that
     */
    public boolean sendsAway(String address, Supplier<RemoteHome> home) {
        if (!redirect.isDue()) {
            return false;
        }
        RemoteHome elsewhere = home.get();
        ErrorCondition goes = redirect.to(address, elsewhere == null ? null : elsewhere.url());
        if (goes != null) {
            connection.close(goes, false);
        }
        return goes != null;
    }

    // ---- links

    /**
     * Passes an attach on.
     *
     * @param create whether the owner may make the address
     * @param rights returns why the client may no longer have the link; null while it may
     */
    public void attach(
            Link<?> link, RemoteHome home, boolean create, Supplier<ErrorCondition> rights, RelayAnswer answer) {
        attach(new Wanted(link, home, create, null, rights, answer));
    }

    /**
     * Has another node serve its parts of what a consumer's link is attached to already.
     *
     * @param credit the client's, of which the other node gets a share
     */
    public void attachPart(
            Sender link, RemoteHome home, SharedCredit credit, Supplier<ErrorCondition> rights, RelayAnswer answer) {
        attach(new Wanted(link, home, false, credit, rights, answer));
    }

    private void attach(Wanted wanted) {
        ErrorCondition refusal = relays.refusal(wanted.home);
        if (refusal != null) {
            wanted.answer.refused(refusal);
            return;
        }
        Relay relay = relays.to(loop, wanted.home);
        if (relays.isTriedAgain(relay)) {
            post(() -> wanted.answer.refused(relay.notOpenYet()));
            return;
        }
        relay.whenOpen(() -> post(() -> open(wanted, relay)), why -> post(() -> wanted.answer.refused(why)));
    }

    /**
     * Makes what passes messages of a link without a target on to one address.
     *
     * @param home of the address
     * @param create whether the owner may make the address
     * @param address says where the address is later
     */
    public RelayedMessages messages(
            Link<?> link, RemoteHome home, NodeName node, boolean create, RelayedMessages.Place address) {
        RelayedMessages messages = new RelayedMessages(this, link, node, address, home.shard());
        ErrorCondition refusal = relays.refusal(home);
        if (refusal != null) {
            post(() -> messages.refuse(refusal));
            return messages;
        }
        Relay relay = relays.to(loop, home);
        if (relays.isTriedAgain(relay)) {
            post(() -> messages.unreached(relay.notOpenYet(), create));
            return messages;
        }
        relay.whenOpen(
                () -> post(() -> {
                    if (messages.isOver() || !isOpen(link)) {
                        messages.refuse(null);
                    } else if (!attach(messages, relay, create)) {
                        messages.unreached(relay.notOpenYet(), create); // it was lost meanwhile
                    }
                }),
                why -> post(() -> messages.unreached(why, create)));
        return messages;
    }

    /**
     * Makes what passes messages of a link without a target on to an address in a shard that another node takes over.
     *
     * @param address says where the address is later
     */
    public RelayedMessages messages(Link<?> link, HandedOver to, NodeName node, RelayedMessages.Place address) {
        RelayedMessages messages = new RelayedMessages(this, link, node, address, to.shard());
        messages.follow(to);
        return messages;
    }

    /**
     * Has the node of a home delete a durable subscription of the client, which makes another one of its name.
     *
     * @param client the link that is attached to the other one
     * @return why the node does not, or null once it has
     */
    public CompletionStage<ErrorCondition> makeWay(Sender client, RemoteHome home, boolean shared) {
        ErrorCondition refusal = relays.refusal(home);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        return new RelayedRemoval(
                        relays.to(loop, home),
                        carried(connection.nameOf(client), false),
                        client.getRemoteSource().getCapabilities(),
                        shared)
                .begin();
    }

    /**
     * Makes what passes messages of a link without a target on to an address that no node serves now.
     *
     * @param refusal for them, if none does in time
     * @param address says where the address is later
     */
    public RelayedMessages messages(
            Link<?> link, int shard, ErrorCondition refusal, NodeName node, RelayedMessages.Place address) {
        RelayedMessages messages = new RelayedMessages(this, link, node, address, shard);
        messages.waitForFirst(refusal);
        return messages;
    }

    /** Returns how long a link waits for a node that serves it. */
    public long patienceMs() {
        return NextOwner.patienceMs(relays);
    }

    /** Returns what finds the next owner of a shard. */
    NextOwner nextOwner(int shard) {
        return relays.nextOwner(loop, shard);
    }

    /** Attaches at an owner. @param create whether it may make the address @return false if that cannot be now */
    boolean attach(RelayedMessages messages, Relay relay, boolean create) {
        if (over || !relay.isRunning()) {
            return false;
        }
        Link<?> link = messages.link();
        String name = connection.nameOf(link) + " to " + messages.name() + " " + ++tells;
        messages.attach(session(link.getSession(), relay), carried(name, create));
        return true;
    }

    static boolean isOpen(Link<?> link) {
        return link.getSession().isLocallyOpen() && link.getSession().isRemotelyOpen();
    }

    void post(Runnable event) {
        connection.mailbox().post(event::run);
    }

    private void open(Wanted wanted, Relay relay) {
        if (over || !relay.isRunning() || !wanted.answer.isWanted()) {
            wanted.answer.gone();
            return;
        }
        Link<?> link = wanted.link;
        RelayedSession session = session(link.getSession(), relay);
        RelayedLink before = session.named(link.isSender(), connection.nameOf(link));
        if (before != null) {
            before.afterwards(() -> open(wanted, relay)); // the owner knows one of a name
            return;
        }
        CarriedClient said = carried(connection.nameOf(link), wanted.create);
        relayed(wanted, session, said).attach(wanted.home.shard());
    }

    private RelayedLink relayed(Wanted wanted, RelayedSession session, CarriedClient said) {
        return wanted.link instanceof Receiver receiver
                ? new RelayedPublisher(this, session, receiver, said, wanted.rights, wanted.answer)
                : new RelayedConsumer(
                        this, session, (Sender) wanted.link, wanted.credit, said, wanted.rights, wanted.answer);
    }

    /**
     * Has a link that this node serves follow its shard to another one (ADR 72).
     *
     * @param before serves the link until that node does
     * @param rights as in {@link #attach}
     * @param answer hears what takes the link's place, and then as in {@link #attach}
     */
    public void follow(AmqpLink before, HandedOver to, Supplier<ErrorCondition> rights, RelayAnswer answer) {
        CarriedClient said = carried(connection.nameOf(before.link()), false);
        RelayedLink relayed = relayed(new Wanted(before.link(), null, false, null, rights, answer), null, said);
        answer.takesPlace(relayed);
        relayed.follow(before, to);
    }

    /** Returns what mirrors a session of the client on a relay. */
    RelayedSession session(Session ofClient, Relay relay) {
        List<RelayedSession> ofSession = sessions.computeIfAbsent(ofClient, key -> new ArrayList<>(1));
        for (RelayedSession each : ofSession) {
            if (each.relay() == relay) {
                return each;
            }
        }
        RelayedSession session = new RelayedSession(this, relay);
        ofSession.add(session);
        live.add(session);
        return session;
    }

    /** Tells whether the client's connection has ended. */
    boolean isOver() {
        return over;
    }

    CarriedClient carried(String link, boolean create) {
        told = connection.identity();
        return new CarriedClient(id, connection.containerId(), told, host, link, create);
    }

    /** Says whose link it is that declares transactions. */
    CarriedClient carriedCoordinator() {
        return carried("transactions-" + ++tells, false);
    }

    /** Hears, before the first link, of the client's transactions. */
    public void serves(Transactions itsTransactions) {
        transactions = itsTransactions;
    }

    /** Returns the transaction that a state names; null if none is open under that id. */
    LocalTransaction find(TransactionalState state) {
        return transactions.find(state);
    }

    /** Makes what numbers the transfers of a link. */
    <T> NumberedTransfers<T> numbers() {
        return new NumberedTransfers<>(relays.producers(loop), relays.kept(), memory::passedOn);
    }

    OpenConnection connection() {
        return connection;
    }

    RelayedTransfers transfers() {
        return transfers;
    }

    // ---- turns

    /** Has a consumer try again at the end of a turn: its client's window or socket has no room. */
    void pause(RelayedConsumer consumer) {
        paused.add(consumer);
        connection.waitsForTurn();
    }

    /** Writes what had to wait. */
    public void resumePaused() {
        if (!paused.isEmpty()) {
            List<RelayedConsumer> again = List.copyOf(paused);
            paused.clear();
            again.forEach(RelayedConsumer::resume);
        }
    }

    /** Goes on with what waits for the socket of a relay. */
    @Override
    public void relayWritable() {
        live.forEach(RelayedSession::unblock);
    }

    /** Tells whether every transfer that was passed on has its outcome. */
    public boolean isIdle() {
        return live.stream().noneMatch(RelayedSession::isBusy);
    }

    /** Hears that a transfer has its outcome. */
    void answered() {
        if (connection.isStopping() && isIdle()) {
            onIdle.run();
        }
    }

    // ---- who the client is

    /** Tells the owners who the client is now, if that has changed. */
    public void rulesChanged() {
        Identity now = connection.identity();
        if (told == null || now.equals(told)) {
            return;
        }
        Map<Relay, RelayedSession> one = new HashMap<>(); // of each owner
        live.forEach(session -> one.putIfAbsent(session.relay(), session));
        one.values().forEach(this::tell);
    }

    private void tell(RelayedSession session) {
        if (!session.relay().isRunning() || !session.session().isLocallyOpen()) {
            return;
        }
        CarriedClient said = carried(null, false);
        Sender sender = session.session().sender(CarriedClient.prefix(id) + "identity-" + ++tells);
        sender.setSource(new Source());
        sender.setTarget(new Target());
        sender.setProperties(Map.<Symbol, Object>of(RingtableSymbols.CLIENT, said.said()));
        sender.openHandler(opened -> {});
        sender.closeHandler(closed -> sender.close());
        sender.open();
    }

    // ---- the end

    /** Ends what a session of the client has at other nodes. @param lost as in {@link RelayedSession#end} */
    public void end(Session ofClient, boolean lost) {
        List<RelayedSession> ended = sessions.remove(ofClient);
        if (ended != null) {
            ended.forEach(session -> session.end(lost));
        }
    }

    /** Ends everything: the client's connection ends. @param lost as in {@link RelayedSession#end} */
    public void end(boolean lost) {
        if (!over) {
            over = true;
            sessions.clear();
            paused.clear();
            List.copyOf(live).forEach(session -> session.end(lost));
        }
    }

    /** Hears that a session of a relay has ended. */
    void ended(RelayedSession session) {
        live.remove(session);
        sessions.values().forEach(ofSession -> ofSession.remove(session));
        if (live.stream().noneMatch(other -> other.relay() == session.relay())) {
            session.relay().left(this);
        }
    }

    @Override
    public boolean replaced(Relay relay, int shard, OwnerWatch.Look look) {
        return live.stream().filter(its -> its.replaced(relay, shard, look)).count() > 0;
    }

    @Override
    public void lost(Relay relay, ErrorCondition why) {
        post(() -> ownerLost(relay, why));
    }

    /**
     * Has the client's links at an owner that is lost wait for the next one, all of them, or closes the connection.
     *
     * @param why a client must connect again whose links cannot wait
     */
    void ownerLost(Relay relay, ErrorCondition why) {
        List<RelayedSession> its =
                live.stream().filter(session -> session.relay() == relay).toList();
        boolean used = its.stream().anyMatch(RelayedSession::hasLinks);
        boolean survives = its.stream().allMatch(RelayedSession::survivesOwner);
        if (survives && !over) {
            its.forEach(session -> session.ownerLost(why));
        }
        if (used && !survives) {
            connection.close(why, true); // before anybody says of a transfer that it was refused
        }
        its.forEach(session -> session.end(true));
    }
}

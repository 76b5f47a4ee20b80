package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.carried.HandedOverClients;
import io.ringtable.broker.amqp.frames.FramePipeline;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.publish.FlowControl;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Serves the clients that another node carries on one connection, the relay. A session of the relay is one of a client,
 * from its first attach on. A client is there while it has a session.
 * <p>
 * Clients that have something to write, to read or to give credit for take turns, so that none of them keeps the socket
 * for itself. Others cost nothing.
 * <p>
 * Thread: the connection's event loop.
 */
final class RelayedClients implements ConnectionPeer {
    private final AmqpConnection relay;
    private final AmqpTransport transport;
    private final AmqpServer server;
    private final FramePipeline pipeline;
    private final Map<String, RelayedClient> clients = new HashMap<>(); // by the ids of their connections
    private final Map<Session, RelayedClient> bySession = new IdentityHashMap<>();
    private final ArrayDeque<RelayedClient> waiting = new ArrayDeque<>(); // for their turns

    /** Makes the clients of a relay, none yet. */
    RelayedClients(AmqpConnection relay, AmqpTransport transport, AmqpServer server, FramePipeline pipeline) {
        this.relay = relay;
        this.transport = transport;
        this.server = server;
        this.pipeline = pipeline;
    }

    // ---- sessions

    /** Opens a session before anything says whose it is. */
    void onBegin(Session session) {
        pipeline.begun(session);
        session.setHandleMax(server.settings().linksMax() - 1L);
        session.setIncomingCapacity(
                FlowControl.leastCapacity((int) server.settings().maxFrameSize().toBytes()));
        session.closeHandler(this::onEnd);
        session.open();
    }

    /**
     * Ends a session: the client has ended it or, if the other node gives a reason, is lost. Deliveries that a lost
     * client may have seen count as tried.
     */
    private void onEnd(Session session) {
        RelayedClient client = bySession.remove(session);
        if (client != null && client.end(session, session.getRemoteCondition() != null)) {
            forget(client);
        }
        session.close();
    }

    private void forget(RelayedClient client) {
        clients.remove(client.connectionId(), client);
        waiting.remove(client);
        server.connections().remove(client);
        client.lost();
    }

    // ---- links

    void onAttach(Receiver receiver) {
        attach(receiver, served -> served.onAttach(receiver));
    }

    void onAttach(Sender sender) {
        attach(sender, served -> served.onAttach(sender));
    }

    private void attach(Link<?> link, Consumer<ServedClient> attach) {
        if (!relay.isRunning()) {
            return;
        }
        CarriedClient carried;
        try {
            carried = CarriedClient.of(link);
        } catch (IllegalArgumentException e) {
            relay.served().refuse(link, CarriedClient.refusal(e.getMessage()));
            return;
        }
        RelayedClient client = clients.get(carried.connection());
        ErrorCondition refusal = ownerRefusal(link.getSession(), client);
        if (refusal == null && client == null) {
            client = new RelayedClient(this, relay, transport, server, pipeline, carried);
            refusal = client.enter();
            if (refusal == null) {
                clients.put(carried.connection(), client);
                server.connections().add(client);
            }
        } else if (refusal == null) {
            refusal = client.follow(carried);
        }
        if (refusal == null && bySession.putIfAbsent(link.getSession(), client) == null) {
            client.begin(link.getSession());
        }
        if (refusal == null && carried.link() != null) {
            attach.accept(client.served());
        } else {
            RelayedClient known = clients.get(carried.connection());
            (known == null ? relay.served() : known.served()).refuse(link, refusal);
        }
    }

    /** Refuses a session of two clients: the window of one would be that of the other. */
    private ErrorCondition ownerRefusal(Session session, RelayedClient client) {
        RelayedClient owner = bySession.get(session);
        return owner == null || owner == client
                ? null
                : CarriedClient.refusal("the session is one of connection '" + owner.connectionId() + "'");
    }

    @Override
    public List<AmqpLink> linksBeside(String name) {
        RelayedClient client = clients.get(CarriedClient.connectionOf(name));
        return client == null ? List.of() : client.served().links().all();
    }

    // ---- turns

    /** Lets a client have a turn. */
    void waits(RelayedClient client) {
        waiting.add(client);
    }

    /** {@inheritDoc} Each client that waits has a turn while the socket takes more; the others come first next time. */
    @Override
    public void endOfBatch() {
        for (int turns = waiting.size(); turns > 0 && !waiting.isEmpty(); turns--) {
            waiting.remove().takeTurn();
            if (!relay.canWrite()) {
                return;
            }
        }
    }

    @Override
    public boolean isIdle() {
        return clients.values().stream().allMatch(client -> client.served().isIdle());
    }

    // ---- for all clients

    private List<RelayedClient> all() {
        return List.copyOf(clients.values());
    }

    @Override
    public void endLinks(boolean lost) {
        all().forEach(client -> client.served().endLinks(lost));
    }

    /** {@inheritDoc} The clients that hold anything of it end, the others stay. */
    @Override
    public boolean leave(int shard, String why) {
        for (RelayedClient client : all()) {
            if (client.served().leave(shard, why)) {
                client.closeFor(why);
            }
        }
        return false;
    }

    /** {@inheritDoc} A client goes with all its links of the shard, or must connect again. */
    @Override
    public boolean handOver(HandedOver to, String why, BooleanSupplier isGone, Runnable whenDone) {
        List<ServedClient> going = new ArrayList<>();
        for (RelayedClient client : all()) {
            if (client.served().leave(to.shard(), why)) {
                if (client.served().suspend(to)) {
                    going.add(client.served());
                } else {
                    client.closeFor(why);
                }
            }
        }
        new HandedOverClients(to, why, relay, isGone, whenDone, going).goOn();
        return true;
    }

    @Override
    public void rulesChanged() {
        all().forEach(client -> client.served().rulesChanged());
    }

    @Override
    public void boundsChanged() {
        all().forEach(client -> client.served().boundsChanged());
    }

    @Override
    public void lost() {
        all().forEach(this::forget);
        bySession.clear();
    }
}

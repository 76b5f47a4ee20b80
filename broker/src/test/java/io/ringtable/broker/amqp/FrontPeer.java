package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.RingtableSymbols;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameDecodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameEncodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonPerformativeHandler;
import org.apache.qpid.protonj2.engine.impl.sasl.ProtonSaslHandler;
import org.apache.qpid.protonj2.engine.sasl.client.SaslAuthenticator;
import org.apache.qpid.protonj2.engine.sasl.client.SaslCredentialsProvider;
import org.apache.qpid.protonj2.engine.sasl.client.SaslMechanismSelector;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Plays a node that carries clients to a broker, or a client of its own, by protonj2's engine on one socket. The test's
 * thread does everything: it reads while it waits, so what comes is there when {@link #await} returns.
 * <p>Longer than others, because it plays nodes and clients, and all that these say.
 */
final class FrontPeer implements AutoCloseable {
    static final String NODE_USER = "node";
    static final String NODE_ID = "node-b";
    static final int IDLE_MS = 90_000;

    private static final int FRAME_BYTES = 64 * 1024;
    private static final int READ_BYTES = 256 * 1024;
    private static final int WAIT_MS = 60_000;
    private static final Symbol QUEUE = Symbol.valueOf("queue");
    private static final Set<Symbol> PLAIN = Set.of(Symbol.valueOf("PLAIN"));

    /** A client whose connection the node has. @param connection the node's id of it */
    record Carried(String connection, String container, String user, List<String> groups) {
        Carried in(String... others) {
            return new Carried(connection, container, user, List.of(others));
        }

        Carried on(String other) {
            return new Carried(other, container, user, groups);
        }

        /** Returns what an attach says of the client. @param link null if it carries none */
        Map<Symbol, Object> said(String link, boolean mayCreate) {
            Map<Symbol, Object> said = new HashMap<>();
            said.put(Symbol.valueOf("connection"), connection);
            said.put(Symbol.valueOf("container"), container);
            said.put(Symbol.valueOf("user"), user);
            said.put(Symbol.valueOf("groups"), groups);
            said.put(Symbol.valueOf("host"), "10.1.2.3");
            said.put(Symbol.valueOf("create"), mayCreate);
            if (link != null) {
                said.put(Symbol.valueOf("link"), link);
            }
            return Map.of(RingtableSymbols.CLIENT, said);
        }
    }

    /** Deletes an address as a client of a node. @return why it is not; empty if it is */
    static String delete(TestBroker node, String address, String mode) throws Exception {
        try (FrontPeer peer = FrontPeer.client(node, "ann", "operator")) {
            Sender sender = peer.session().sender("delete " + address);
            sender.setSource(new Source());
            sender.setTarget(new Target().setAddress(address));
            sender.setProperties(Map.of(RingtableSymbols.DELETE, mode));
            sender.openHandler(opened -> {});
            peer.opened(sender);
            if (sender.getRemoteTarget() != null) {
                sender.close();
            }
            return peer.closed(sender);
        }
    }

    /** A link that receives, with what has come on it. */
    static final class Reader {
        final Receiver receiver;
        final List<IncomingDelivery> deliveries = new ArrayList<>(); // complete, their bytes unread

        Reader(Receiver receiver) {
            this.receiver = receiver;
            receiver.deliveryReadHandler(delivery -> {
                if (!delivery.isPartial()) {
                    deliveries.add(delivery);
                }
            });
        }

        /** Reads a delivery, which makes room in the session's window, and settles it. */
        String accept(int number) {
            String text = text(number);
            deliveries.get(number).disposition(Accepted.getInstance(), true);
            return text;
        }

        /** Accepts a delivery in a transaction. */
        void accept(int number, Binary transaction) {
            TransactionalState state = new TransactionalState();
            state.setTxnId(transaction);
            state.setOutcome(Accepted.getInstance());
            deliveries.get(number).disposition(state, false);
        }

        /** Reads a delivery, once. */
        String text(int number) {
            ProtonBuffer buffer = deliveries.get(number).readAll();
            byte[] bytes = new byte[buffer.getReadableBytes()];
            buffer.readBytes(bytes, 0, bytes.length);
            return new String(Encoded.section(bytes, Data.class).getValue(), StandardCharsets.UTF_8);
        }
    }

    final Connection connection;

    final RelayedTransfers transfers = new RelayedTransfers();

    private final ProtonEngine engine = new ProtonEngine();
    private final Socket socket;
    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private ByteArrayOutputStream together; // what leaves in one piece; null = each frame by itself
    private boolean ended; // the broker has closed the socket
    private int tags;

    private FrontPeer(TestBroker broker, String user, String container) throws IOException {
        socket = new Socket("127.0.0.1", broker.port());
        socket.setSoTimeout(WAIT_MS);
        socket.setTcpNoDelay(true);
        engine.pipeline().addLast("amqp", new ProtonPerformativeHandler());
        engine.pipeline().addLast(RelayedTransfers.NAME, transfers);
        engine.pipeline().addLast("sasl", new ProtonSaslHandler());
        engine.pipeline().addLast("frame-decoder", new ProtonFrameDecodingHandler());
        engine.pipeline().addLast("frame-encoder", new ProtonFrameEncodingHandler());
        engine.outputHandler(this::write);
        engine.errorHandler(failed -> ended = true);
        engine.saslDriver()
                .client()
                .setListener(new SaslAuthenticator(new SaslMechanismSelector(PLAIN), new Password(user)));
        connection = engine.start();
        connection.setContainerId(container);
        connection.setMaxFrameSize(FRAME_BYTES);
    }

    /** Opens a relay as a node of the cluster does. */
    static FrontPeer node(TestBroker broker) throws IOException {
        return open(broker, NODE_USER, 1);
    }

    /** Asks for a relay; the broker may refuse it. @param version of the terms */
    static FrontPeer open(TestBroker broker, String user, int version) throws IOException {
        FrontPeer peer = new FrontPeer(broker, user, NODE_ID);
        peer.connection.setDesiredCapabilities(RingtableSymbols.RELAY);
        peer.connection.setIdleTimeout(IDLE_MS);
        peer.connection.setProperties(
                Map.of(RingtableSymbols.RELAY, UnsignedInteger.valueOf(version), RingtableSymbols.NODE, NODE_ID));
        return peer.opened();
    }

    /** Connects as a client with a connection of its own. */
    static FrontPeer client(TestBroker broker, String user, String container) throws IOException {
        return client(broker, user, container, null);
    }

    /** @param hostname that the client names in its open frame */
    static FrontPeer client(TestBroker broker, String user, String container, String hostname) throws IOException {
        FrontPeer peer = new FrontPeer(broker, user, container);
        peer.connection.setHostname(hostname);
        return peer.opened();
    }

    private FrontPeer opened() {
        connection.open();
        await(() -> connection.isRemotelyOpen() || connection.isRemotelyClosed());
        return this;
    }

    /** Waits until the broker closes the connection. @return condition and description */
    String closed() {
        await(connection::isRemotelyClosed);
        return text(connection.getRemoteCondition());
    }

    private static String text(ErrorCondition condition) {
        return condition == null ? "" : condition.getCondition() + " " + condition.getDescription();
    }

    private record Password(String username) implements SaslCredentialsProvider {
        @Override
        public String vhost() {
            return null;
        }

        @Override
        public String password() {
            return "of " + username;
        }

        @Override
        public Principal localPrincipal() {
            return null;
        }
    }

    // ---- bytes

    private void write(ProtonBuffer frame, Runnable written) {
        byte[] bytes = new byte[frame.getReadableBytes()];
        frame.readBytes(bytes, 0, bytes.length);
        if (together == null) {
            toSocket(bytes);
        } else {
            together.writeBytes(bytes);
        }
        if (written != null) {
            written.run();
        }
    }

    private void toSocket(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException closed) {
            ended = true;
        }
    }

    /** Attaches a link and sends on it in one piece, so that the broker has the message before it can answer. */
    Sender sendAhead(Session firstSession, Carried client, String name, String queue, int handle) {
        Sender sender = named(firstSession, client, name, queue, true);
        inOnePiece(() -> {
            sender.open();
            Transfer transfer = new Transfer();
            transfer.setHandle(handle);
            transfer.setDeliveryId(0);
            transfer.setDeliveryTag(new byte[] {1});
            transfer.setMessageFormat(0);
            engine.pipeline()
                    .fireWrite(
                            envelopes.take(transfer, 0, ProtonByteArrayBufferAllocator.wrapped(Encoded.text("early"))));
        });
        return sender;
    }

    /** Sends several frames together. */
    void inOnePiece(Runnable frames) {
        together = new ByteArrayOutputStream();
        frames.run();
        byte[] bytes = together.toByteArray();
        together = null;
        toSocket(bytes);
    }

    /**
     * Gives the only link of channel 0 credit, or takes some back, which the engine does not.
     *
     * @param received deliveries of one frame each that have come
     * @param frames that may come; the session's window
     */
    void credit(int received, int frames, long credit) {
        Flow flow = new Flow();
        flow.setNextIncomingId(received);
        flow.setIncomingWindow(frames);
        flow.setNextOutgoingId(0);
        flow.setOutgoingWindow(1_000);
        flow.setHandle(0);
        flow.setDeliveryCount(received);
        flow.setLinkCredit(credit);
        engine.pipeline().fireWrite(envelopes.take(flow, 0, null));
    }

    /** Reads until that is so. */
    void await(BooleanSupplier there) {
        while (!there.getAsBoolean()) {
            assertThat(ended)
                    .as("closed by the broker: %s, %s", connection.getRemoteCondition(), engine.failureCause())
                    .isFalse();
            try {
                byte[] bytes = new byte[READ_BYTES];
                int length = socket.getInputStream().read(bytes);
                if (length < 0) {
                    ended = true;
                } else {
                    ingest(ProtonByteArrayBufferAllocator.wrapped(bytes, 0, length)
                            .convertToReadOnly());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void ingest(ProtonBuffer buffer) {
        while (buffer.isReadable() && engine.isRunning()) {
            engine.ingest(buffer);
        }
    }

    // ---- sessions

    /** Opens a session whose client reads everything. When it is there, the broker has read what was sent before. */
    Session session() {
        return session(0);
    }

    /** Opens a session. @param frames that may be unread; 0 = any number */
    Session session(int frames) {
        Session session = connection.session();
        session.setIncomingCapacity(frames * FRAME_BYTES);
        session.open();
        await(session::isRemotelyOpen);
        return session;
    }

    /** Ends a session. @param lost whether the client is, whose session it was */
    void end(Session session, boolean lost) {
        if (lost) {
            session.setCondition(new ErrorCondition(Symbol.valueOf("amqp:connection:forced"), "the client is lost"));
        }
        session.close();
        await(session::isRemotelyClosed);
    }

    // ---- links

    /** Attaches a link to a queue, which is made if it is not there. @param client null if the link is its own */
    Sender sender(Session session, Carried client, String name, String queue) {
        Sender sender = attachSender(session, client, name, queue, true);
        await(() -> sender.getCredit() > 0);
        return sender;
    }

    /** Attaches a link; the broker may refuse it. */
    Sender attachSender(Session session, Carried client, String name, String queue, boolean mayCreate) {
        return opened(named(session, client, name, queue, mayCreate));
    }

    private Sender named(Session session, Carried client, String name, String queue, boolean mayCreate) {
        Sender sender = session.sender(client == null ? name : client.connection() + "/" + name);
        sender.setSource(new Source().setAddress("me"));
        sender.setTarget(new Target().setAddress(queue).setCapabilities(QUEUE));
        if (client != null) {
            sender.setProperties(client.said(name, mayCreate));
        }
        sender.closeHandler(FrontPeer::answer);
        return sender;
    }

    /** Attaches a link from a queue, without credit. */
    Reader reader(Session session, Carried client, String name, String queue) {
        return reader(session, client, name, new Source().setAddress(queue).setCapabilities(QUEUE));
    }

    /** Attaches a link that receives, without credit; the broker may refuse it. @param source null to unsubscribe */
    Reader reader(Session session, Carried client, String name, Source source) {
        Receiver receiver = session.receiver(client == null ? name : client.connection() + "/" + name);
        receiver.setSource(source);
        receiver.setTarget(new Target().setAddress("me"));
        if (client != null) {
            receiver.setProperties(client.said(name, true));
        }
        return new Reader(opened(receiver));
    }

    /** Says who a client is, without a link. */
    void tell(Session session, Carried client) {
        Sender sender = session.sender(client.connection() + "/" + tags++);
        sender.setSource(new Source());
        sender.setTarget(new Target());
        sender.setProperties(client.said(null, false));
        opened(sender);
        await(sender::isRemotelyClosed);
        assertThat(sender.getRemoteCondition()).isNull();
    }

    /** Opens a link, and answers when the broker closes it. */
    <L extends Link<L>> L opened(L link) {
        link.closeHandler(FrontPeer::answer);
        link.open();
        await(() -> link.isRemotelyOpen() || link.isRemotelyClosedOrDetached());
        return link;
    }

    private static void answer(Link<?> closed) {
        if (closed.isLocallyOpen()) {
            closed.close();
        }
    }

    /** Attaches a link that takes declares and discharges. */
    Sender coordinator(Session session) {
        Sender sender = session.sender("coordinator");
        sender.setSource(new Source().setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL));
        sender.setTarget(new Coordinator());
        opened(sender);
        await(() -> sender.getCredit() > 0);
        return sender;
    }

    /** Declares a transaction. @return its id */
    Binary declare(Sender coordinator) {
        return ((Declared) outcome(send(coordinator, Encoded.message(new AmqpValue<>(new Declare()))))).getTxnId();
    }

    /** Asks for the end of a transaction, and does not wait for it. */
    OutgoingDelivery discharge(Sender coordinator, Binary transaction, boolean fail) {
        Discharge command = new Discharge();
        command.setTxnId(transaction);
        command.setFail(fail);
        return send(coordinator, Encoded.message(new AmqpValue<>(command)));
    }

    /** Waits until the broker closes a link. @return condition and description */
    String closed(Link<?> link) {
        await(link::isRemotelyClosed);
        return text(link.getRemoteCondition());
    }

    /** Sends a message, and does not wait for its outcome. */
    OutgoingDelivery send(Sender sender, String text) {
        return send(sender, Encoded.text(text));
    }

    /** Sends a message with properties of its own, and waits until it is accepted. */
    void publish(Sender sender, Properties properties, String text) {
        OutgoingDelivery delivery = send(sender, properties, text);
        await(() -> delivery.getRemoteState() != null);
        assertThat(delivery.getRemoteState()).isEqualTo(Accepted.getInstance());
    }

    /** Sends a message with properties of its own, and does not wait for its outcome. */
    OutgoingDelivery send(Sender sender, Properties properties, String text) {
        return send(sender, Encoded.message(properties, new Data(text.getBytes(StandardCharsets.UTF_8))));
    }

    private OutgoingDelivery send(Sender sender, byte[] message) {
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(new byte[] {(byte) (tags >> 8), (byte) tags++});
        delivery.writeBytes(ProtonByteArrayBufferAllocator.wrapped(message));
        return delivery;
    }

    /** Sends bytes that are no message, and does not wait for the outcome. */
    OutgoingDelivery sendMalformed(Sender sender) {
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(new byte[] {(byte) (tags >> 8), (byte) tags++});
        delivery.writeBytes(ProtonByteArrayBufferAllocator.wrapped(new byte[] {1, 2, 3}));
        return delivery;
    }

    /** Begins a message, and keeps its end back. */
    OutgoingDelivery begin(Sender sender, String text) {
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(new byte[] {(byte) (tags >> 8), (byte) tags++});
        delivery.streamBytes(ProtonByteArrayBufferAllocator.wrapped(Encoded.text(text)), false);
        return delivery;
    }

    /** Ends a message that was begun. */
    void end(OutgoingDelivery begun) {
        begun.streamBytes(ProtonByteArrayBufferAllocator.wrapped(new byte[0]), true);
    }

    /** Waits for the outcome of a message. */
    DeliveryState outcome(OutgoingDelivery delivery) {
        await(() -> delivery.getRemoteState() != null);
        return delivery.getRemoteState();
    }

    /** Sends messages with the texts 0, 1, 2 …, and waits until each is accepted. */
    void publish(Sender sender, int count) {
        for (int i = 0; i < count; i++) {
            OutgoingDelivery delivery = send(sender, String.valueOf(i));
            assertThat(outcome(delivery)).isEqualTo(Accepted.getInstance());
        }
    }

    /** Goes away without a word. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}

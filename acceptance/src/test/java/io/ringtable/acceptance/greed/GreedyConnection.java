package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslInit;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * A connection that writes what it is told, and counts what the broker answers: it is all that an attacker has to know.
 * Refusals count in the attack's deeds by their code.
 * <p>
 * Threads: one writes; {@code greedy-reader} reads. Failure: once the connection has ended, waiting ends with an exception.
 */
final class GreedyConnection implements AutoCloseable {
    static final long WINDOW = 1 << 20;
    private static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final byte[] SASL = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    private static final byte[] NOTHING = {};
    private static final int PAYLOAD_MAX = 60_000;
    private static final long WAIT_MS = 30_000;
    private static final Pattern CODE = Pattern.compile("RT-\\d{4}");

    private final Victim victim;
    private final AmqpFrames frames = new AmqpFrames(); // the writer's
    private final AmqpFrames answers = new AmqpFrames(); // the reader's
    private final Map<Class<?>, Long> counts = new HashMap<>(); // guarded by this; answers by performative
    private final Map<Long, Long> credits = new HashMap<>(); // guarded by this; by channel and the client's handle
    private final Map<Integer, Long> windows =
            new HashMap<>(); // guarded by this; frames that a session may send in all
    private final Map<Long, Long> handles = new HashMap<>(); // the reader's; the client's by the broker's
    private final Socket socket;
    private final OutputStream output;
    private final Thread reader = new Thread(this::read, "greedy-reader");
    private final Consumer<AmqpFrames.Frame> listener; // called by the reader
    private long outcomes; // guarded by this
    private SaslCode login; // guarded by this; null = no outcome yet
    private boolean closed; // guarded by this

    private GreedyConnection(Victim victim, Socket socket, Consumer<AmqpFrames.Frame> listener) throws IOException {
        this.victim = victim;
        this.socket = socket;
        this.output = socket.getOutputStream();
        this.listener = listener;
        reader.setDaemon(true);
        reader.start();
    }

    static GreedyConnection open(Victim victim, String container, int sessions) throws IOException {
        return open(victim, container, sessions, frame -> {});
    }

    /** @param listener hears of every frame, on the reader's thread */
    static GreedyConnection open(Victim victim, String container, int sessions, Consumer<AmqpFrames.Frame> listener)
            throws IOException {
        GreedyConnection connection = new GreedyConnection(victim, socket(victim, "127.0.0.1"), listener);
        connection.write(AMQP);
        return connection.begin(container, sessions);
    }

    /**
     * Logs in, and opens a connection without sessions.
     *
     * @param from an address of this machine
     * @throws IOException if the broker refuses the login
     */
    static GreedyConnection login(Victim victim, String from, String user, String password, String container)
            throws IOException {
        GreedyConnection connection = new GreedyConnection(victim, socket(victim, from), frame -> {});
        try {
            byte[] response = ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
            connection.write(SASL);
            connection.write(connection.frames.encode(
                    AmqpFrames.TYPE_SASL,
                    0,
                    new SaslInit().setMechanism(Symbol.valueOf("PLAIN")).setInitialResponse(new Binary(response)),
                    NOTHING));
            connection.await(() -> connection.login != null);
            if (connection.login != SaslCode.OK) {
                throw new IOException("the broker refuses the login: " + connection.login);
            }
            connection.write(AMQP);
            return connection.begin(container, 0);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    private static Socket socket(Victim victim, String from) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress("127.0.0.1", victim.port()));
        return socket;
    }

    private GreedyConnection begin(String container, int sessions) throws IOException {
        send(0, new Open().setContainerId(container).setMaxFrameSize(65_536));
        for (int channel = 0; channel < sessions; channel++) {
            send(
                    channel,
                    new Begin().setNextOutgoingId(0).setIncomingWindow(WINDOW).setOutgoingWindow(WINDOW));
        }
        return this;
    }

    // ---- writing

    byte[] encode(int channel, Object performative) {
        return frames.encode(AmqpFrames.TYPE_AMQP, channel, performative, NOTHING);
    }

    byte[] section(Object section) {
        return frames.section(section);
    }

    void send(int channel, Object performative) throws IOException {
        write(encode(channel, performative));
    }

    /** A whole message, unsettled, in as many frames as it takes. */
    void transfer(int channel, int handle, long delivery, byte[] message) throws IOException {
        for (int from = 0; from < message.length; from += PAYLOAD_MAX) {
            int count = Math.min(PAYLOAD_MAX, message.length - from);
            part(channel, handle, delivery, message, from, count, from + count < message.length);
        }
    }

    void part(int channel, int handle, long delivery, byte[] message, int from, int count, boolean more)
            throws IOException {
        Transfer transfer = new Transfer()
                .setHandle(handle)
                .setDeliveryId(delivery)
                .setDeliveryTag(ByteBuffer.allocate(8).putLong(delivery).array())
                .setMessageFormat(0)
                .setSettled(false)
                .setMore(more);
        byte[] payload = Arrays.copyOfRange(message, from, from + count);
        write(frames.encode(AmqpFrames.TYPE_AMQP, channel, transfer, payload));
    }

    void write(byte[] bytes) throws IOException {
        synchronized (output) {
            output.write(bytes);
        }
    }

    static Attach sender(int handle, String name, Target target) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.SENDER)
                .setSource(new Source())
                .setTarget(target)
                .setInitialDeliveryCount(0);
    }

    static Attach sender(int handle, String name, String address, String kind) {
        Target target = new Target();
        target.setAddress(address);
        target.setCapabilities(Symbol.valueOf(kind));
        return sender(handle, name, target);
    }

    static Attach receiver(int handle, String name, Source source) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.RECEIVER)
                .setSource(source)
                .setTarget(new Target());
    }

    static Source source(String address, String kind) {
        Source source = new Source();
        source.setAddress(address);
        source.setCapabilities(Symbol.valueOf(kind));
        return source;
    }

    static Flow credit(int handle, long deliveryCount, long credit) {
        return new Flow()
                .setNextIncomingId(0)
                .setIncomingWindow(WINDOW)
                .setNextOutgoingId(0)
                .setOutgoingWindow(WINDOW)
                .setHandle(handle)
                .setDeliveryCount(deliveryCount)
                .setLinkCredit(credit);
    }

    /** A flow of the session that the broker has to answer: when it has, it has read everything before. */
    static Flow question() {
        return new Flow()
                .setNextIncomingId(0)
                .setIncomingWindow(WINDOW)
                .setNextOutgoingId(0)
                .setOutgoingWindow(WINDOW)
                .setEcho(true);
    }

    // ---- answers

    synchronized long answers(Class<?> performative) {
        return counts.getOrDefault(performative, 0L);
    }

    synchronized long outcomes() {
        return outcomes;
    }

    /** How many messages the broker has let this link send, all in all. */
    synchronized long sendLimit(int channel, int handle) {
        return credits.getOrDefault(key(channel, handle), 0L);
    }

    /** How many frames of messages the broker has let this session send, all in all. */
    synchronized long window(int channel) {
        return windows.getOrDefault(channel, 0L);
    }

    void awaitAnswers(Class<?> performative, long count) throws IOException {
        await(() -> answers(performative) >= count);
    }

    void awaitOutcomes(long count) throws IOException {
        await(() -> outcomes >= count);
    }

    synchronized void await(BooleanSupplier condition) throws IOException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS);
        while (!condition.getAsBoolean()) {
            long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            if (closed || left <= 0) {
                throw new EOFException(closed ? "the broker has ended the connection" : "the broker is silent");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }

    private void read() {
        try (DataInputStream input = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16))) {
            byte[] head = new byte[8];
            while (true) {
                input.readFully(head);
                if (head[0] == 'A') {
                    continue; // a protocol header
                }
                ByteBuffer frame = ByteBuffer.allocate(ByteBuffer.wrap(head).getInt());
                frame.put(head);
                input.readFully(frame.array(), head.length, frame.capacity() - head.length);
                AmqpFrames.Frame answer = answers.next(frame.rewind());
                if (answer.performative() != null) {
                    listener.accept(answer);
                    on(answer); // wakes who waits for what the listener has found
                }
            }
        } catch (IOException end) {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
        }
    }

    private synchronized void on(AmqpFrames.Frame answer) {
        Object performative = answer.performative();
        counts.merge(performative.getClass(), 1L, Long::sum);
        if (performative instanceof Disposition disposition) {
            onOutcome(disposition);
        } else if (performative instanceof Attach attach) {
            onAttach(answer.channel(), attach);
        } else if (performative instanceof Begin begin) {
            windows.put(answer.channel(), begin.getIncomingWindow());
        } else if (performative instanceof Flow flow) {
            onFlow(answer.channel(), flow);
        } else if (performative instanceof SaslOutcome outcome) {
            login = outcome.getCode();
            victim.deeds().add("logins " + login);
        } else if (performative instanceof Detach) {
            victim.deeds().add("detached " + code(performative));
        } else if (performative instanceof Close) {
            victim.deeds().add("closed " + code(performative));
        }
        notifyAll();
    }

    /** A link's name ends with its handle, so that the broker's handle leads to it. */
    private void onAttach(int channel, Attach attach) {
        String name = attach.getName();
        String handle = name.substring(name.lastIndexOf('.') + 1);
        if (handle.matches("\\d+")) {
            handles.put(key(channel, attach.getHandle()), Long.parseLong(handle));
        }
    }

    private void onFlow(int channel, Flow flow) {
        windows.put(channel, flow.getNextIncomingId() + flow.getIncomingWindow());
        Long handle = flow.hasHandle() ? handles.get(key(channel, flow.getHandle())) : null;
        if (handle != null && flow.hasLinkCredit()) {
            credits.put(key(channel, handle), flow.getDeliveryCount() + flow.getLinkCredit());
        }
    }

    private void onOutcome(Disposition disposition) {
        if (disposition.getRole() != Role.RECEIVER) {
            return;
        }
        long last = disposition.hasLast() ? disposition.getLast() : disposition.getFirst();
        long count = last - disposition.getFirst() + 1;
        outcomes += count;
        if (disposition.getState() instanceof Accepted) {
            victim.deeds().add("accepted", count);
        } else if (disposition.getState() instanceof Rejected rejected) {
            victim.deeds().add("rejected " + code(rejected), count);
        }
    }

    private static String code(Object refusal) {
        Matcher code = CODE.matcher(refusal.toString());
        return code.find() ? code.group() : "";
    }

    private static long key(int channel, long handle) {
        return (long) channel << 32 | handle;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

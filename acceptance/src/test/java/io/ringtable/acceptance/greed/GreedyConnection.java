package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Performatives;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * A connection that writes what it is told, and counts what the broker answers: it is all that an attacker has to know.
 * Refusals count in the attack's deeds by their code.
 * <p>
 * Threads: one writes; {@code greedy-reader} reads. Failure: once the connection has ended, waiting ends with an
 * exception.
 */
final class GreedyConnection implements AutoCloseable {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);
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
        connection.write(Performatives.AMQP);
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
            connection.write(Performatives.SASL);
            connection.write(connection.frames.encode(
                    AmqpFrames.TYPE_SASL, 0, Performatives.plain(user, password), Performatives.NO_PAYLOAD));
            connection.await(() -> connection.login != null);
            if (connection.login != SaslCode.OK) {
                throw new IOException("the broker refuses the login: " + connection.login);
            }
            connection.write(Performatives.AMQP);
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
        send(0, Performatives.open(container));
        for (int channel = 0; channel < sessions; channel++) {
            send(channel, Performatives.begin());
        }
        return this;
    }

    // ---- writing

    byte[] encode(int channel, Object performative) {
        return frames.encode(AmqpFrames.TYPE_AMQP, channel, performative, Performatives.NO_PAYLOAD);
    }

    byte[] section(Object section) {
        return frames.section(section);
    }

    void send(int channel, Object performative) throws IOException {
        write(encode(channel, performative));
    }

    /** A whole message, unsettled, in as many frames as it takes. */
    void transfer(int channel, int handle, long delivery, byte[] message) throws IOException {
        for (int from = 0; from < message.length; from += Performatives.PAYLOAD_MAX) {
            int count = Math.min(Performatives.PAYLOAD_MAX, message.length - from);
            part(channel, handle, delivery, message, from, count, from + count < message.length);
        }
    }

    void part(int channel, int handle, long delivery, byte[] message, int from, int count, boolean more)
            throws IOException {
        Transfer transfer = Performatives.transfer(handle, delivery, more);
        byte[] payload = Arrays.copyOfRange(message, from, from + count);
        write(frames.encode(AmqpFrames.TYPE_AMQP, channel, transfer, payload));
    }

    void write(byte[] bytes) throws IOException {
        synchronized (output) {
            output.write(bytes);
        }
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

    void await(BooleanSupplier condition) throws IOException {
        if (!isWithin(WAIT_NANOS, condition)) {
            throw new EOFException("the broker is silent");
        }
    }

    /** Whether an answer of the broker makes the condition true within that time. */
    synchronized boolean isWithin(long nanos, BooleanSupplier condition) throws IOException {
        long until = System.nanoTime() + nanos;
        while (!condition.getAsBoolean()) {
            if (closed) {
                throw new EOFException("the broker has ended the connection");
            }
            long left = until - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
        return true;
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

package io.ringtable.acceptance.sync;

import io.ringtable.acceptance.harness.AmqpFrames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * Checks the order of system calls for each message. A write puts it into the log, and a sync of the log begins after
 * that write has ended. After the sync has ended, a write to the client's socket carries the {@code accepted}.
 */
final class SyncOrder {
    private static final Pattern SOCKET = Pattern.compile("TCP(?:v6)?:\\[.*:(\\d+)->.*:(\\d+)]");
    private static final Pattern MARKER = Pattern.compile("<\\d+\\.\\d+>");

    private final Map<String, Set<Syscall>> logWrites = new HashMap<>(); // by marker, in their order
    private final List<Syscall> syncs;
    private final List<Syscall> served;

    /**
     * @param storing calls of the process that stores
     * @param isLog whether a path is the log's
     * @param serving calls of the process that serves AMQP
     */
    SyncOrder(List<Syscall> storing, Predicate<String> isLog, List<Syscall> serving) {
        storing.stream()
                .filter(call -> call.isWrite() && isLog.test(call.file()))
                .forEach(this::putWrite);
        this.syncs = storing.stream()
                .filter(call -> call.isSync() && isLog.test(call.file()))
                .toList();
        this.served = serving;
    }

    /** Keeps it by the markers in it: a log has megabytes, which nobody searches for each of hundreds of messages. */
    private void putWrite(Syscall write) {
        Matcher marker = MARKER.matcher(new String(write.data(), StandardCharsets.ISO_8859_1));
        while (marker.find()) {
            logWrites
                    .computeIfAbsent(marker.group(), none -> new LinkedHashSet<>())
                    .add(write);
        }
    }

    int syncs() {
        return syncs.size();
    }

    /** The text in each message of a connection, by delivery-id. */
    static String marker(int clientPort, long deliveryId) {
        return "<" + clientPort + "." + deliveryId + ">";
    }

    /** Returns the breaches of the rule among the messages 0 to count - 1 of the connection. */
    List<String> violations(int brokerPort, int clientPort, int count) {
        List<String> found = new ArrayList<>();
        Map<Long, Syscall> outcomes = outcomes(brokerPort, clientPort);
        for (long id = 0; id < count; id++) {
            Syscall outcome = outcomes.get(id);
            if (outcome == null) {
                found.add("message " + id + " has no accepted in the trace");
            } else {
                String violation = violation(marker(clientPort, id), outcome);
                if (violation != null) {
                    found.add(violation);
                }
            }
        }
        return found;
    }

    private String violation(String marker, Syscall outcome) {
        Set<Syscall> writes = logWrites.getOrDefault(marker, Set.of());
        if (writes.isEmpty()) {
            return marker + " was accepted and is in no write to the log";
        }
        for (Syscall write : writes) {
            for (Syscall sync : syncs) {
                if (sync.startNs() >= write.endNs() && sync.endNs() <= outcome.startNs()) {
                    return null;
                }
            }
        }
        return marker + " was accepted "
                + (outcome.startNs() - writes.iterator().next().endNs()) / 1_000
                + " µs after its first write to the log, without a sync between them";
    }

    /** The write that ends the frame with the accepted of each delivery, by delivery-id. */
    private Map<Long, Syscall> outcomes(int brokerPort, int clientPort) {
        Map<Long, Syscall> outcomes = new HashMap<>();
        AmqpFrames frames = new AmqpFrames();
        ByteBuffer stream = ByteBuffer.allocate(4 << 20).limit(0);
        for (Syscall call : served) {
            Matcher socket = SOCKET.matcher(call.file());
            if (!call.isWrite()
                    || !socket.matches()
                    || Integer.parseInt(socket.group(1)) != brokerPort
                    || Integer.parseInt(socket.group(2)) != clientPort) {
                continue;
            }
            stream.compact()
                    .put(call.data(), 0, (int) Math.min(call.result(), call.data().length))
                    .flip();
            for (AmqpFrames.Frame frame = frames.next(stream); frame != null; frame = frames.next(stream)) {
                if (frame.performative() instanceof Disposition disposition
                        && disposition.getRole() == Role.RECEIVER
                        && disposition.getState() instanceof Accepted) {
                    long last = disposition.hasLast() ? disposition.getLast() : disposition.getFirst();
                    for (long id = disposition.getFirst(); id <= last; id++) {
                        outcomes.putIfAbsent(id, call);
                    }
                }
            }
        }
        return outcomes;
    }
}

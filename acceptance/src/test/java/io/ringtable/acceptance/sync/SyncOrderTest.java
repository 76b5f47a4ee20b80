package io.ringtable.acceptance.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.RawAmqp;
import io.ringtable.acceptance.harness.Required;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Watches the broker's system calls with strace, while two clients each send message by message, then many at once.
 * Only these calls show whether a write was synced in time: after a kill it is still in the page cache.
 */
class SyncOrderTest {
    private static final int ONE_BY_ONE = 20;
    private static final int AT_ONCE = 200;
    private static final int MESSAGES = ONE_BY_ONE + AT_ONCE;

    @RegisterExtension
    final Bench bench = new Bench();

    @BeforeEach
    void needStrace() {
        Required.program(
                "tools.required",
                "strace",
                "strace",
                "-f",
                "--seccomp-bpf",
                "-o",
                "/dev/null",
                "-e",
                "trace=none",
                "true");
    }

    @Test
    void sqliteIsSyncedBeforeAnOutcomeLeaves() throws Exception {
        Path trace = bench.directory().resolve("broker.trace");
        BrokerProcess broker = bench.broker(settings -> traced(settings, trace)).start();

        List<Integer> ports = sendFromTwoClients(broker);
        broker.stop();

        List<Syscall> calls = Syscall.parse(trace);
        assertThatNothingLeavesUnsynced(calls, file -> file.endsWith("-wal"), calls, broker, ports);
    }

    @Test
    void postgresqlIsSyncedBeforeAnOutcomeLeaves() throws Exception {
        Path trace = bench.directory().resolve("broker.trace");
        Path serverTrace = bench.directory().resolve("postgres.trace");
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        server.stop();
        server.startUnder(Syscall.strace(serverTrace));
        BrokerProcess broker = bench.broker(
                        settings -> traced(settings.store(url, server.username(), server.password()), trace))
                .start();

        List<Integer> ports = sendFromTwoClients(broker);
        broker.stop();
        server.stop();

        assertThatNothingLeavesUnsynced(
                Syscall.parse(serverTrace), file -> file.contains("/pg_wal/"), Syscall.parse(trace), broker, ports);
    }

    @Test
    void noticesAServerThatDoesNotSync() throws Exception {
        Path trace = bench.directory().resolve("broker.trace");
        Path serverTrace = bench.directory().resolve("postgres.trace");
        PostgresServer server =
                bench.closing(PostgresServer.start(bench.directory().resolve("postgres"), false));
        String url = server.createDatabase();
        server.stop();
        server.startUnder(Syscall.strace(serverTrace));
        BrokerProcess broker = bench.broker(settings -> traced(
                        settings.store(url, server.username(), server.password())
                                .with("ringtable.store.delayed-durability", true),
                        trace))
                .start();

        List<Integer> ports = sendFromTwoClients(broker);
        broker.stop();
        server.stop();

        SyncOrder order =
                new SyncOrder(Syscall.parse(serverTrace), file -> file.contains("/pg_wal/"), Syscall.parse(trace));
        assertThat(order.violations(broker.amqpPort(), ports.get(0), MESSAGES)).hasSize(MESSAGES);
    }

    /** A small ring: every page that is laid goes through the trace. */
    /** With one shard, since the trace is that of one node. */
    private static BrokerSettings traced(BrokerSettings settings, Path trace) {
        return settings.oneShard().with("ringtable.ring.capacity", 16_384).wrappedIn(Syscall.strace(trace));
    }

    private static void assertThatNothingLeavesUnsynced(
            List<Syscall> storing,
            Predicate<String> isLog,
            List<Syscall> serving,
            BrokerProcess broker,
            List<Integer> ports) {
        SyncOrder order = new SyncOrder(storing, isLog, serving);
        for (int port : ports) {
            assertThat(order.violations(broker.amqpPort(), port, MESSAGES)).isEmpty();
        }
        // One at a time has to sync for each; otherwise the messages of many share a sync.
        assertThat(order.syncs()).isBetween(ONE_BY_ONE, 2 * MESSAGES + 1_000);

        // The same trace without its syncs, and with each of them a second later, has to fail.
        assertThat(new SyncOrder(storing.stream().filter(call -> !call.isSync()).toList(), isLog, serving)
                        .violations(broker.amqpPort(), ports.get(0), MESSAGES))
                .hasSize(MESSAGES);
        List<Syscall> late = new ArrayList<>();
        for (Syscall call : storing) {
            late.add(call.isSync() ? later(call) : call);
        }
        assertThat(new SyncOrder(late, isLog, serving).violations(broker.amqpPort(), ports.get(0), ONE_BY_ONE))
                .isNotEmpty();
    }

    private static Syscall later(Syscall call) {
        long second = 1_000_000_000L;
        return new Syscall(
                call.thread(),
                call.name(),
                call.file(),
                call.data(),
                call.startNs() + second,
                call.endNs() + second,
                call.result());
    }

    /** @return the clients' ports */
    private static List<Integer> sendFromTwoClients(BrokerProcess broker) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Callable<Integer>> clients = List.of(() -> sendFrom(broker, "a"), () -> sendFrom(broker, "b"));
            List<Integer> ports = new ArrayList<>();
            for (Future<Integer> client : threads.invokeAll(clients)) {
                ports.add(client.get());
            }
            return ports;
        } finally {
            threads.shutdown();
        }
    }

    private static int sendFrom(BrokerProcess broker, String name) {
        try (RawAmqp client = RawAmqp.socket(broker.amqpPort()).open(name)) {
            client.attachSender(0, "synced");
            int port = client.localPort();
            int accepted = 0;
            for (int id = 0; id < ONE_BY_ONE; id++) {
                client.transfer(0, id, body(port, id));
                accepted += accepted(client);
            }
            for (int id = ONE_BY_ONE; id < MESSAGES; id++) {
                client.transfer(0, id, body(port, id));
            }
            while (accepted < MESSAGES) {
                accepted += accepted(client);
            }
            return port;
        }
    }

    private static String body(int port, int id) {
        // More than once: a log may cut a record at the end of a page.
        return SyncOrder.marker(port, id).repeat(3);
    }

    private static int accepted(RawAmqp client) {
        Disposition disposition = client.expect(Disposition.class);
        assertThat(disposition.getState()).isInstanceOf(Accepted.class);
        return disposition.hasLast() ? (int) (disposition.getLast() - disposition.getFirst() + 1) : 1;
    }
}

package io.ringtable.acceptance.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.Required;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rule passes what is right, fails what is not, and reads what strace writes. */
class SyncOrderRuleTest {
    private static final int BROKER = 5672;
    private static final int CLIENT = 40_000;
    private static final String LOG = "/data/ringtable.db-wal";

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void passesWriteThenSyncThenAccepted() {
        assertThat(violations(write(0, 1, 2), sync(3, 4), accepted(0, 0, 5))).isEmpty();
    }

    @Test
    void passesManyMessagesOfOneSync() {
        assertThat(violations(write(0, 1, 2), write(1, 2, 3), sync(4, 5), accepted(0, 1, 6)))
                .isEmpty();
    }

    @Test
    void failsAnAcceptedWithoutASync() {
        assertThat(violations(write(0, 1, 2), accepted(0, 0, 5)))
                .singleElement()
                .asString()
                .contains("without a sync");
    }

    @Test
    void failsAnAcceptedThatLeavesDuringTheSync() {
        assertThat(violations(write(0, 1, 2), sync(3, 6), accepted(0, 0, 5))).hasSize(1);
    }

    @Test
    void failsASyncThatBeganBeforeTheWriteHadEnded() {
        assertThat(violations(write(0, 1, 4), sync(3, 5), accepted(0, 0, 6))).hasSize(1);
    }

    @Test
    void failsAnAcceptedOfWhatWasNeverWritten() {
        assertThat(violations(write(0, 1, 2), sync(3, 4), accepted(0, 1, 5)))
                .singleElement()
                .asString()
                .contains("in no write to the log");
    }

    @Test
    void failsTheSecondMessageWhenOnlyTheFirstIsSynced() {
        assertThat(violations(write(0, 1, 2), sync(3, 4), write(1, 5, 6), accepted(0, 1, 7)))
                .singleElement()
                .asString()
                .contains(SyncOrder.marker(CLIENT, 1));
    }

    @Test
    void failsASyncThatFailed() {
        Syscall failed = new Syscall(1, "fdatasync", LOG, new byte[0], 3, 4, -1);
        assertThat(violations(write(0, 1, 2), failed, accepted(0, 0, 5))).hasSize(1);
    }

    @Test
    void failsAMessageThatHasNoOutcome() {
        assertThat(new SyncOrder(List.of(), LOG::equals, List.of()).violations(BROKER, CLIENT, 1))
                .containsExactly("message 0 has no accepted in the trace");
    }

    @Test
    void readsWhatStraceWrites() throws Exception {
        Path trace = bench.directory().resolve("trace");
        Path file = bench.directory().resolve("file with ümlaut");
        List<String> command = new ArrayList<>(Syscall.strace(trace));
        command.addAll(List.of("sh", "-c", "printf 'a\"b' | dd of='" + file + "' conv=fdatasync"));
        Required.program("tools.required", "strace", command.toArray(String[]::new));

        List<Syscall> calls = Syscall.parse(trace).stream()
                .filter(call -> call.file().equals(file.toString()))
                .toList();

        assertThat(calls).extracting(Syscall::name).containsExactly("write", "fdatasync");
        assertThat(new String(calls.get(0).data(), StandardCharsets.UTF_8)).isEqualTo("a\"b");
        assertThat(calls.get(1).startNs()).isGreaterThanOrEqualTo(calls.get(0).endNs());
        assertThat(calls.get(1).isSync()).isTrue();
    }

    private static List<String> violations(Syscall... calls) {
        int count = 0;
        for (Syscall call : calls) {
            count += call.name().equals("accepted") ? (int) call.result() : 0;
        }
        List<Syscall> all = List.of(calls).stream()
                .map(call -> call.name().equals("accepted") ? sent(call) : call)
                .toList();
        return new SyncOrder(all, LOG::equals, all).violations(BROKER, CLIENT, count);
    }

    private static Syscall write(long id, long start, long end) {
        byte[] data = ("page " + SyncOrder.marker(CLIENT, id) + " page").getBytes(StandardCharsets.US_ASCII);
        return new Syscall(1, "pwrite64", LOG, data, start, end, data.length);
    }

    private static Syscall sync(long start, long end) {
        return new Syscall(1, "fdatasync", LOG, new byte[0], start, end, 0);
    }

    /** Its result carries the number of messages until it is {@link #sent}. */
    private static Syscall accepted(long first, long last, long start) {
        byte[] frame = new AmqpFrames()
                .encode(
                        AmqpFrames.TYPE_AMQP,
                        0,
                        new Disposition()
                                .setRole(Role.RECEIVER)
                                .setFirst(first)
                                .setLast(last)
                                .setSettled(true)
                                .setState(Accepted.getInstance()),
                        new byte[0]);
        return new Syscall(2, "accepted", "", frame, start, start + 1, last - first + 1);
    }

    private static Syscall sent(Syscall call) {
        String socket = "TCP:[127.0.0.1:" + BROKER + "->127.0.0.1:" + CLIENT + "]";
        return new Syscall(
                call.thread(), "write", socket, call.data(), call.startNs(), call.endNs(), call.data().length);
    }
}

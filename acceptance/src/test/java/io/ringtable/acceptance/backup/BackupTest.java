package io.ringtable.acceptance.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Performatives;
import io.ringtable.acceptance.harness.RawAmqp;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Backups under load, with kills of the backup and of the broker, and a restored broker beside its original. */
class BackupTest {
    private static final int FIRST = 1_600; // messages of 16 KB: a copy takes long enough to be held in the middle
    private static final int TRIES = 10;
    private static final int HANDLE = 0;

    @RegisterExtension
    final Bench bench = new Bench();

    private int backups;

    @Test
    void whatWasAcceptedBeforeABackupIsInTheRestoredStoreWhoeverIsKilled() throws Exception {
        BrokerProcess original = bench.broker().start();
        NumberedLoad load =
                bench.closing(new NumberedLoad(original.amqpUrl(), FIRST)).start();
        await("load").atMost(Duration.ofMinutes(1)).until(() -> load.accepted() > FIRST);

        aKilledBackupLeavesNothingUnderItsName(original);
        aBackupEndsWithItsCommand(original);
        Held last = held(original, load);
        original.kill();
        last.command().goOn();
        assertThat(last.command().succeeded())
                .contains(last.target().toString(), " bytes, checked, with everything that was accepted by ");
        load.close();

        BrokerProcess restored = bench.broker();
        Path data = restored.settings().dataDir();
        CopyCommand restore = bench.closing(CopyCommand.restore(last.target(), data));
        assertThat(restore.start().succeeded()).contains("under an epoch of its own");
        original.launch();
        restored.start();
        original.awaitReady();

        tagsOfTheOriginalSettleNothing(original, restored);
        hasEachOnce(numbersIn(restored), last.accepted(), load.accepted());
        hasEachOnce(numbersIn(original), load.accepted(), load.accepted());
        Jms.send(restored.amqpUrl(), "more", 3);
        assertThat(Jms.receive(restored.amqpUrl(), "more", 3)).isEqualTo(Jms.bodies(3));
    }

    private void aKilledBackupLeavesNothingUnderItsName(BrokerProcess broker) {
        Held killed = held(broker, null);
        killed.command().killCopier();
        assertThat(killed.command().failed()).contains("RT-6036 ", "NAME.part");
        assertThat(killed.target()).doesNotExist();
        assertThat(CopyCommand.part(killed.target())).exists();
    }

    private void aBackupEndsWithItsCommand(BrokerProcess broker) {
        Held orphan = held(broker, null);
        orphan.command().killAlone();
        await("the end of the process that copies").until(() -> Files.notExists(CopyCommand.part(orphan.target())));
        assertThat(orphan.target()).doesNotExist();
    }

    /** Holds a backup that stands still where its file is not complete, and what had been accepted before it began. */
    private record Held(CopyCommand command, Path target, int accepted) {}

    private Held held(BrokerProcess broker, NumberedLoad load) {
        for (int i = 0; i < TRIES; i++) {
            Path target = bench.directory().resolve("backup-" + ++backups + ".db");
            int accepted = load == null ? 0 : load.accepted();
            CopyCommand command =
                    bench.closing(CopyCommand.backup(broker.settings().dataDir(), target));
            if (command.startAndHold(target)) {
                return new Held(command, target, accepted);
            }
            command.goOn(); // it was done before it could be held
            command.succeeded();
        }
        throw new AssertionError("no backup of " + TRIES + " could be held in the middle");
    }

    /**
     * Has the same message delivered by both, which differs in the epoch alone. Then tells the restored broker, in the
     * ways that the protocol has, that the original's delivery is accepted. These are an unsettled delivery of a link
     * that is resumed, and a disposition.
     */
    private static void tagsOfTheOriginalSettleNothing(BrokerProcess original, BrokerProcess restored) {
        byte[] originals;
        try (RawAmqp client = RawAmqp.socket(original.amqpPort()).open("original")) {
            client.attachReceiver(HANDLE, NumberedLoad.QUEUE, 1);
            originals = client.expect(Transfer.class).getDeliveryTag().tagBytes();
        }
        long owed = restored.owed(NumberedLoad.QUEUE);
        try (RawAmqp client = RawAmqp.socket(restored.amqpPort()).open("restored")) {
            client.send(Performatives.receiver(HANDLE, "resumed", Performatives.source(NumberedLoad.QUEUE, "queue"))
                    .setSenderSettleMode(SenderSettleMode.UNSETTLED)
                    .setReceiverSettleMode(ReceiverSettleMode.FIRST)
                    .setUnsettled(Map.of(new Binary(originals), Accepted.getInstance())));
            client.expect(Attach.class);
            client.send(Performatives.accepted(0));
            client.send(Performatives.question());
            client.expect(Flow.class);
            client.grant(HANDLE, 0, 1);
            String own = text(client.expect(Transfer.class).getDeliveryTag().tagBytes());
            assertThat(own).isNotEqualTo(text(originals));
            assertThat(own.substring(own.indexOf('.')))
                    .as("subscription and sequence")
                    .isEqualTo(text(originals).substring(text(originals).indexOf('.')));
        }
        assertThat(restored.owed(NumberedLoad.QUEUE)).isEqualTo(owed);
    }

    private static String text(byte[] tag) {
        return new String(tag, StandardCharsets.US_ASCII);
    }

    /** Consumes all that the broker owes. */
    private static List<Integer> numbersIn(BrokerProcess broker) throws JMSException {
        int owed = (int) broker.owed(NumberedLoad.QUEUE);
        List<Integer> numbers = new ArrayList<>();
        for (Message message : Jms.receiveMessages(broker.amqpUrl(), NumberedLoad.QUEUE, owed)) {
            numbers.add(NumberedLoad.numberOf(message));
        }
        broker.awaitOwed(NumberedLoad.QUEUE, 0);
        return numbers;
    }

    /** The last message of all may have been stored without its publisher hearing of it. */
    private static void hasEachOnce(List<Integer> numbers, int atLeast, int accepted) {
        assertThat(numbers)
                .hasSizeBetween(atLeast, accepted + 1)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, numbers.size()).boxed().toList());
    }
}

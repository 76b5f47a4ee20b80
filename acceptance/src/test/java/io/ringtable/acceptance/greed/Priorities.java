package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** Messages of every priority, none like the one before, and of -1, which is none; they are consumed from. */
final class Priorities implements Attack {
    private static final int PER_SECOND = 2_000;
    private static final int ONE_IN_IS_NONE = 10;
    private static final int LEVELS = 10;
    private static final int BODY_BYTES = 300;
    private static final byte[] LIST_OF_TWO = {0, 0x53, 0x70, (byte) 0xc0, 4, 2, 0x41};
    private static final byte UBYTE = 0x50;
    private static final byte BYTE = 0x51;

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        Random random = new Random(attacker);
        GreedyConnection[] itself = new GreedyConnection[1];
        try (GreedyConnection connection =
                GreedyConnection.open(victim, "greedy", 1, frame -> settle(victim, itself[0], frame))) {
            itself[0] = connection;
            connection.send(0, Performatives.sender(0, "p.0", "priorities", "queue"));
            connection.await(() -> connection.sendLimit(0, 0) > 0);
            connection.send(0, Performatives.receiver(1, "c.1", Performatives.source("priorities", "queue")));
            connection.send(0, Performatives.credit(1, 0, 1 << 20));
            byte[] body = connection.section(new Data(new byte[BODY_BYTES]));
            long began = System.nanoTime();
            for (long n = 0; ; n++) {
                long number = n;
                Pace.until(began + n * TimeUnit.SECONDS.toNanos(1) / PER_SECOND);
                connection.await(() -> connection.sendLimit(0, 0) > number);
                byte[] header =
                        random.nextInt(ONE_IN_IS_NONE) == 0 ? header(BYTE, -1) : header(UBYTE, random.nextInt(LEVELS));
                connection.transfer(0, 0, n, join(header, body));
                victim.deeds().add("messages sent");
            }
        }
    }

    /** Durable, and of that priority. */
    private static byte[] header(byte type, int priority) {
        return join(LIST_OF_TWO, new byte[] {type, (byte) priority});
    }

    private static byte[] join(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }

    private static void settle(Victim victim, GreedyConnection consumer, AmqpFrames.Frame frame) {
        if (!(frame.performative() instanceof Transfer transfer)) {
            return;
        }
        try {
            consumer.send(0, Performatives.accepted(transfer.getDeliveryId()));
            victim.deeds().add("messages consumed");
        } catch (IOException e) {
            victim.deeds().add("settlements that could not be sent");
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages consumed", 1_000);
    }
}

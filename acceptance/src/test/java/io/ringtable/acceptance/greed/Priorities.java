package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.Sections;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** Messages of every priority, none like the one before, and of -1, which is none; they are consumed from. */
final class Priorities implements Attack {
    private static final int PER_SECOND = 2_000;
    private static final int ONE_IN_IS_NONE = 10;
    private static final int LEVELS = 10;
    private static final int BODY_BYTES = 300;

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        Random random = new Random(attacker);
        GreedyConnection[] itself = new GreedyConnection[1];
        try (GreedyConnection connection =
                GreedyConnection.open(victim, "greedy", 1, frame -> settle(victim, itself[0], frame))) {
            itself[0] = connection;
            connection.send(0, GreedyConnection.sender(0, "p.0", "priorities", "queue"));
            connection.await(() -> connection.sendLimit(0, 0) > 0);
            connection.send(0, GreedyConnection.receiver(1, "c.1", GreedyConnection.source("priorities", "queue")));
            connection.send(0, GreedyConnection.credit(1, 0, 1 << 20));
            byte[] body = connection.section(new Data(new byte[BODY_BYTES]));
            long began = System.nanoTime();
            for (long n = 0; ; n++) {
                long number = n;
                LockSupport.parkNanos(began + n * TimeUnit.SECONDS.toNanos(1) / PER_SECOND - System.nanoTime());
                connection.await(() -> connection.sendLimit(0, 0) > number);
                byte[] header = random.nextInt(ONE_IN_IS_NONE) == 0
                        ? header(Encoding.BYTE, -1)
                        : header(Encoding.UBYTE, random.nextInt(LEVELS));
                connection.transfer(0, 0, n, join(header, body));
                victim.deeds().add("messages sent");
            }
        }
    }

    /** Durable, and of that priority. */
    private static byte[] header(int type, int priority) {
        EncodingWriter header = new EncodingWriter();
        header.section(Sections.HEADER);
        int list = header.beginShortList();
        header.writeBoolean(true);
        header.writeByte(type);
        header.writeByte(priority);
        header.endShortList(list, 2);
        return header.toBytes();
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
            consumer.send(
                    0,
                    new Disposition()
                            .setRole(Role.RECEIVER)
                            .setFirst(transfer.getDeliveryId())
                            .setSettled(true)
                            .setState(Accepted.getInstance()));
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

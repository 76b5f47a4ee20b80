package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Publishes messages of a new group each to a queue that is consumed from. A group id has a million characters, and the
 * 1,024 that a broker takes at the most.
 */
final class GroupIds implements Attack {
    private static final int HUGE = 1_000_000;
    private static final int LARGEST = 1_024;
    private static final int AT_ONCE = 200;
    private static final int HUGE_AT_ONCE = 2;
    private static final int CREDIT = 1 << 20;

    private final AtomicLong groups = new AtomicLong();
    private final AtomicLong settledTo = new AtomicLong(-1); // delivery

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        GreedyConnection[] itself = new GreedyConnection[1];
        try (GreedyConnection consumer =
                        GreedyConnection.open(victim, "consumer", 1, frame -> settle(victim, itself[0], frame));
                GreedyConnection publisher = victim.connect("publisher", 1)) {
            itself[0] = consumer;
            consumer.send(0, Performatives.receiver(0, "c.0", Performatives.source("grouped", "queue")));
            consumer.send(0, Performatives.credit(0, 0, CREDIT));
            publisher.send(0, Performatives.sender(0, "p.0", "grouped", "queue"));
            long sent = 0;
            while (true) {
                for (int n = 0; n < AT_ONCE; n++) {
                    long number = sent;
                    publisher.await(() -> publisher.sendLimit(0, 0) > number);
                    publisher.transfer(0, 0, sent, message(publisher, n < HUGE_AT_ONCE ? HUGE : LARGEST));
                    sent++;
                }
                publisher.awaitOutcomes(sent);
            }
        }
    }

    private byte[] message(GreedyConnection publisher, int length) {
        String number = Long.toString(groups.getAndIncrement());
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(publisher.section(
                new Properties().setGroupId(number + "g".repeat(length - number.length()))));
        message.writeBytes(publisher.section(new Data(new byte[10])));
        return message.toByteArray();
    }

    private void settle(Victim victim, GreedyConnection consumer, AmqpFrames.Frame frame) {
        if (!(frame.performative() instanceof Transfer transfer) || transfer.getMore()) {
            return;
        }
        settledTo.set(transfer.hasDeliveryId() ? transfer.getDeliveryId() : settledTo.get());
        victim.deeds().add("groups consumed");
        try {
            consumer.send(0, Performatives.accepted(0).setLast(settledTo.get()));
        } catch (IOException e) {
            victim.deeds().add("settlements that could not be sent");
        }
    }

    @Override
    public Bite bite() {
        return new Bite("groups consumed", 1_000);
    }
}

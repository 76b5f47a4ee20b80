package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.time.Duration;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Rejects every message of many queues, while the dead-letter queue is full. Before that, tries to make a topic of its
 * name, so that there would be nowhere to put a dead letter.
 */
final class DeadLetters implements Attack {
    private static final int QUOTA = 2_000;
    private static final int MESSAGES = 1_900; // fewer than the quota of a queue
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Override
    public BrokerSettings configure(BrokerSettings settings) {
        return settings.with("ringtable.commit.quota-messages", QUOTA);
    }

    @Override
    public int attackers() {
        return 4;
    }

    @Override
    public void prepare(Victim victim) throws IOException {
        try (GreedyConnection connection = victim.connect("greedy", 1)) {
            connection.send(0, Performatives.sender(0, "topic.0", "DLQ", "topic"));
            connection.await(() -> connection.answers(Detach.class) > 0 || connection.sendLimit(0, 0) > 0);
            if (connection.sendLimit(0, 0) > 0) {
                victim.deeds().add("topics of the name of the dead-letter queue");
                return;
            }
        }
        Filler.fill(victim, "DLQ", QUOTA, 100);
    }

    /** A queue of its own: what is rejected in it stays there. */
    @Override
    public void round(Victim victim, int attacker) throws IOException {
        String queue = "rejected-" + attacker + "-" + System.nanoTime();
        GreedyConnection[] itself = new GreedyConnection[1];
        try (GreedyConnection consumer =
                GreedyConnection.open(victim, "consumer-" + attacker, 1, frame -> reject(victim, itself[0], frame))) {
            itself[0] = consumer;
            consumer.send(0, Performatives.sender(0, "p.0", queue, "queue"));
            consumer.await(() -> consumer.sendLimit(0, 0) > 0);
            consumer.send(0, Performatives.receiver(1, "c.1", Performatives.source(queue, "queue")));
            consumer.send(0, Performatives.credit(1, 0, 1 << 20));
            byte[] message = consumer.section(new Data(new byte[100]));
            for (int n = 0; n < MESSAGES; n++) {
                int number = n;
                consumer.await(() -> consumer.sendLimit(0, 0) > number);
                consumer.transfer(0, 0, n, message);
            }
            Pace.pass(PAUSE);
        }
    }

    private static void reject(Victim victim, GreedyConnection consumer, AmqpFrames.Frame frame) {
        if (!(frame.performative() instanceof Transfer transfer)) {
            return;
        }
        try {
            consumer.send(0, Performatives.settled(transfer.getDeliveryId(), new Rejected()));
            victim.deeds().add("messages rejected");
        } catch (IOException e) {
            victim.deeds().add("rejections that could not be sent");
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages rejected", 1_000);
    }

    @Override
    public String violation(Deeds deeds) {
        return deeds.of("topics of the name of the dead-letter queue") == 0
                ? ""
                : "the dead-letter queue's name was taken by a topic";
    }
}

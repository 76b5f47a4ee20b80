package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * 3,000 publishers wait for a place in a full queue. A consumer makes room for one message each few milliseconds, which
 * all of them compete for, and who gets the place does not use it.
 */
final class WaitingPublishers implements Attack {
    private static final int QUOTA = 2_000;
    private static final int CONNECTIONS = 6;
    private static final int LINKS = 500; // of each
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private final List<GreedyConnection> waiting = new ArrayList<>();
    private GreedyConnection consumer;
    private volatile long delivery = -1; // written by the consumer's reader
    private long settled;

    @Override
    public BrokerSettings configure(BrokerSettings settings) {
        return settings.with("ringtable.commit.quota-messages", QUOTA);
    }

    @Override
    public void prepare(Victim victim) throws IOException {
        Filler.fill(victim, "full", QUOTA, 100);
    }

    private void attach(Victim victim) throws IOException {
        for (int n = 0; n < CONNECTIONS; n++) {
            GreedyConnection connection = victim.connect("waiting-" + n, 1);
            waiting.add(connection);
            ByteArrayOutputStream attaches = new ByteArrayOutputStream();
            for (int link = 0; link < LINKS; link++) {
                attaches.writeBytes(connection.encode(0, Performatives.sender(link, "waits." + link, "full", "queue")));
            }
            connection.write(attaches.toByteArray());
            connection.awaitAnswers(Attach.class, LINKS);
            victim.deeds().add("publishers that wait", LINKS);
        }
        consumer = GreedyConnection.open(victim, "consumer", 1, this::onFrame);
        consumer.send(0, Performatives.receiver(0, "consumer.0", Performatives.source("full", "queue")));
    }

    private void onFrame(AmqpFrames.Frame frame) {
        if (frame.performative() instanceof Transfer transfer) {
            delivery = transfer.getDeliveryId();
        }
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        if (consumer == null) {
            attach(victim);
        }
        consumer.send(0, Performatives.credit(0, settled, 1));
        consumer.await(() -> delivery == settled);
        consumer.send(0, Performatives.accepted(settled));
        settled++;
        victim.deeds().add("places made free");
        Pace.pass(INTERVAL);
    }

    @Override
    public Bite bite() {
        return new Bite("publishers that wait", CONNECTIONS * LINKS);
    }
}

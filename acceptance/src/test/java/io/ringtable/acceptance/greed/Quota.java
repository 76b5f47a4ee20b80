package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Target;

/**
 * Sends 300 MB and more to a queue that may hold 10 MB, by an anonymous link and by links of its own. The accepted part
 * has to stay near the quota.
 */
final class Quota implements Attack {
    private static final int QUOTA_MB = 10;
    private static final int MESSAGE_BYTES = 100_000;
    private static final long SENT_LEAST = 300_000_000;
    /** Messages of a link that are without an outcome. */
    private static final int UNDER_WAY = 100;

    private static final double NEAR = 1.2;

    @Override
    public BrokerSettings configure(BrokerSettings settings) {
        return settings.with("ringtable.commit.quota-bytes", QUOTA_MB + "MB");
    }

    @Override
    public int attackers() {
        return 4;
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        boolean isAnonymous = attacker % 2 == 0;
        try (GreedyConnection connection = victim.connect("greedy-" + attacker, 1)) {
            connection.send(
                    0,
                    isAnonymous
                            ? Performatives.sender(0, "relay.0", new Target())
                            : Performatives.sender(0, "queue.0", "bounded", "queue"));
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            message.writeBytes(connection.section(new Properties().setTo("bounded")));
            message.writeBytes(connection.section(new Data(new byte[MESSAGE_BYTES])));
            for (long n = 0; ; n++) {
                long number = n;
                connection.await(
                        () -> connection.sendLimit(0, 0) > number && connection.outcomes() > number - UNDER_WAY);
                connection.transfer(0, 0, n, message.toByteArray());
                victim.deeds().add("bytes sent", MESSAGE_BYTES);
            }
        }
    }

    @Override
    public Bite bite() {
        return new Bite("bytes sent", SENT_LEAST);
    }

    @Override
    public String violation(Deeds deeds) {
        double megabytes = deeds.of("accepted") * (double) MESSAGE_BYTES / (1 << 20);
        return megabytes <= QUOTA_MB * NEAR ? "" : megabytes + " MB were accepted";
    }
}

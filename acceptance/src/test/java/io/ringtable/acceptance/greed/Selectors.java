package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;

/**
 * 2,000 subscribers of a topic, each with a selector of its own, and messages of 489 KB of properties that none wants.
 */
final class Selectors implements Attack {
    private static final int PROPERTIES = 4_000;
    private static final int VALUE_BYTES = 112; // with its name 122: 489 KB together

    @Override
    public void prepare(Victim victim) throws IOException {
        Crowd.attach(
                victim,
                "subscriber",
                number -> Crowd.selecting(Performatives.source("selected", "topic"), selector(number)),
                1_000);
    }

    private static String selector(int number) {
        return name(number) + " = 'never' OR " + name(PROPERTIES - 1 - number) + " LIKE '%none' OR size * 2 = "
                + number;
    }

    private static String name(int number) {
        return String.format("p%05d", number);
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("publisher", 1)) {
            connection.send(0, Performatives.sender(0, "p.0", "selected", "topic"));
            Map<String, Object> properties = new LinkedHashMap<>();
            for (int n = 0; n < PROPERTIES; n++) {
                properties.put(name(n), "v".repeat(VALUE_BYTES));
            }
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            message.writeBytes(connection.section(new ApplicationProperties(properties)));
            message.writeBytes(connection.section(new Data(new byte[1])));
            for (long n = 0; ; n++) {
                long number = n;
                connection.await(() -> connection.sendLimit(0, 0) > number);
                connection.transfer(0, 0, n, message.toByteArray());
                connection.awaitOutcomes(n + 1);
                victim.deeds().add("messages looked at by all selectors");
                victim.deeds().add("bytes of properties", message.size());
            }
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages looked at by all selectors", 5);
    }
}

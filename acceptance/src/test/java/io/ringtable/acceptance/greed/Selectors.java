package io.ringtable.acceptance.greed;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.Attach;

/** 2,000 subscribers of a topic, each with a selector of its own, and messages of 489 KB of properties that none wants. */
final class Selectors implements Attack {
    private static final int CONNECTIONS = 4;
    private static final int LINKS = 500; // of each
    private static final int PROPERTIES = 4_000;
    private static final int VALUE_BYTES = 112; // with its name 122: 489 KB together
    private static final Symbol SELECTOR = Symbol.valueOf("apache.org:selector-filter:string");

    private final List<GreedyConnection> subscribers = new ArrayList<>();

    @Override
    public void prepare(Victim victim) throws IOException {
        for (int n = 0; n < CONNECTIONS; n++) {
            GreedyConnection connection = victim.connect("subscriber-" + n, 1);
            subscribers.add(connection);
            for (int link = 0; link < LINKS; link++) {
                Source source = GreedyConnection.source("selected", "topic");
                source.setFilter(Map.of(SELECTOR, new UnknownDescribedType(SELECTOR, selector(n * LINKS + link))));
                connection.send(0, GreedyConnection.receiver(link, "s." + link, source));
                connection.send(0, GreedyConnection.credit(link, 0, 1_000));
            }
            connection.awaitAnswers(Attach.class, LINKS);
            victim.deeds().add("subscribers with selectors", LINKS);
        }
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
            connection.send(0, GreedyConnection.sender(0, "p.0", "selected", "topic"));
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

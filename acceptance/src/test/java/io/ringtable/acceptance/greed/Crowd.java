package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.Attach;

/** 2,000 readers on four connections. Thread: one. */
final class Crowd {
    private static final int CONNECTIONS = 4;
    private static final int LINKS = 500; // of each
    static final int READERS = CONNECTIONS * LINKS;

    private static final Symbol SELECTOR = Symbol.valueOf("apache.org:selector-filter:string");

    private final List<GreedyConnection> connections = new ArrayList<>();

    /**
     * Comes back when all of them are attached.
     *
     * @param container what the names of their containers begin with
     * @param sources by the number of the reader
     * @param credit of each
     */
    static Crowd attach(Victim victim, String container, IntFunction<Source> sources, long credit) throws IOException {
        Crowd crowd = new Crowd();
        for (int n = 0; n < CONNECTIONS; n++) {
            GreedyConnection connection = victim.connect(container + "-" + n, 1);
            crowd.connections.add(connection);
            for (int link = 0; link < LINKS; link++) {
                connection.send(0, Performatives.receiver(link, "s." + link, sources.apply(n * LINKS + link)));
                connection.send(0, Performatives.credit(link, 0, credit));
            }
        }
        for (GreedyConnection connection : crowd.connections) {
            connection.awaitAnswers(Attach.class, LINKS);
        }
        victim.deeds().add("readers", READERS);
        return crowd;
    }

    static Source selecting(Source source, String selector) {
        source.setFilter(Map.of(SELECTOR, new UnknownDescribedType(SELECTOR, selector)));
        return source;
    }

    void close() {
        connections.forEach(GreedyConnection::close);
    }
}

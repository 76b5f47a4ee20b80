package io.ringtable.broker.engine;

import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of the engine on a real SQLite file, whose turns the test takes by hand. */
abstract class SteppedTest {
    /** Of memory for 16 messages of a subscription, so that most is read back. */
    static final DispatchSettings SMALL =
            new DispatchSettings(1 << 20, 16, 64 << 10, 16, DispatchSettings.policies(3, "DLQ"));

    @TempDir
    Path directory;

    SteppedEngine engine;

    @BeforeEach
    final void openEngine() {
        engine = new SteppedEngine(directory);
        configure(engine);
        engine.open();
    }

    /** Before it is opened; it stays as it is unless a test says more. */
    void configure(SteppedEngine unopened) {}

    @AfterEach
    final void closeEngine() {
        engine.close();
    }

    /** Everything that is there for anybody. */
    final List<String> received(Address address) {
        Reader reader = engine.attach(engine.reader(address), 10_000);
        engine.run();
        return reader.texts();
    }

    /** The next call of that verb. */
    final void failOnce(String verb, Fault fault) {
        failOnce(verb, fault, () -> {});
    }

    /** @param meanwhile happens elsewhere while the call is on its way */
    final void failOnce(String verb, Fault fault, Runnable meanwhile) {
        engine.store.plan = (called, flush) -> {
            if (called.equals(verb)) {
                engine.store.plan = FaultyStore.NOTHING_FAILS;
                meanwhile.run();
                return fault;
            }
            return null;
        };
    }

    static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }
}

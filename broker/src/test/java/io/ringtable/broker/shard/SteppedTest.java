package io.ringtable.broker.shard;

import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.shard.FaultyStore.Fault;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of the shard on a real SQLite file, whose turns the test takes by hand. */
abstract class SteppedTest {
    /** Of memory for 16 messages of a subscription, so that most is read back. */
    static final DispatchProperties SMALL = SteppedSettings.dispatch(1 << 20, 16, 64 << 10, 16);

    @TempDir
    Path directory;

    SteppedShard shard;

    @BeforeEach
    final void openShard() {
        shard = new SteppedShard(directory);
        configure(shard);
        shard.open();
    }

    /** Before it is opened; it stays as it is unless a test says more. */
    void configure(SteppedShard unopened) {}

    @AfterEach
    final void closeShard() {
        shard.close();
    }

    /** Everything that is there for anybody. */
    final List<String> received(Address address) {
        Reader reader = shard.attach(shard.reader(address), 10_000);
        shard.run();
        return reader.texts();
    }

    /** The next call of that verb. */
    final void failOnce(String verb, Fault fault) {
        failOnce(verb, fault, () -> {});
    }

    /** @param meanwhile happens elsewhere while the call is on its way */
    final void failOnce(String verb, Fault fault, Runnable meanwhile) {
        shard.store.plan = (called, flush) -> {
            if (called.equals(verb)) {
                shard.store.plan = FaultyStore.NOTHING_FAILS;
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

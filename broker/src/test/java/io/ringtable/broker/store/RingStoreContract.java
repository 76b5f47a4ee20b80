package io.ringtable.broker.store;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * What every engine must do, unchanged. An engine's test class extends this and gives its {@link TestDatabase}; what an
 * engine cannot do follows from its {@link StoreLimits}, never from its name.
 */
public abstract class RingStoreContract {
    private StoreFixture fixture;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    @BeforeEach
    void open() throws Exception {
        try {
            fixture = new StoreFixture(database());
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    @Nested
    class Commit extends CommitContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }
}

package io.ringtable.broker.store;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * Demands the same of every engine. An engine's test class extends this and gives its {@link TestDatabase}; what an
 * engine cannot do follows from its {@link StoreLimits}, never from its name.
 */
public abstract class RingStoreContract {
    private StoreFixture fixture;

    /** Returns a fresh database without rows. */
    protected abstract TestDatabase database() throws Exception;

    /** Returns a fresh database in which nothing is, not even the schema. */
    protected TestDatabase empty() throws Exception {
        return database();
    }

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

    @Nested
    class Once extends OnceContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Login extends LoginContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Replay extends ReplayContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Read extends ReadContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Settle extends SettleContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Reclaim extends ReclaimContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Discard extends DiscardContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Overflow extends OverflowContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Wrap extends WrapContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Ownership extends OwnershipContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Recovery extends RecoveryContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Limits extends LimitsContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Contention extends ContentionContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Directory extends DirectoryContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Faults extends FaultsContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }

    @Nested
    class Schema extends SchemaContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }

        @Override
        TestDatabase empty() throws Exception {
            return RingStoreContract.this.empty();
        }
    }

    @Nested
    class Upgrade extends UpgradeContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }

        @Override
        TestDatabase empty() throws Exception {
            return RingStoreContract.this.empty();
        }
    }

    @Nested
    class Neighbours extends NeighboursContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }

        @Override
        TestDatabase empty() throws Exception {
            return RingStoreContract.this.empty();
        }
    }

    @Nested
    class Nodes extends NodeContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }

        @Override
        TestDatabase empty() throws Exception {
            return RingStoreContract.this.empty();
        }
    }

    @Nested
    class QueryPlans extends QueryPlansContract {
        @Override
        StoreFixture fixture() {
            return fixture;
        }
    }
}

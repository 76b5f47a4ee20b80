package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract bites: each of these stores is wrong in one respect, and the suite says so. */
class BrokenStoresTest {

    @Test
    void theStoreThatIsNotBrokenPasses() {
        TestExecutionSummary summary = run(
                Sound.class,
                RingStoreContract.Commit.class,
                RingStoreContract.Settle.class,
                RingStoreContract.Overflow.class);
        assertThat(failures(summary)).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isGreaterThan(20);
    }

    @Test
    void aStoreThatForgetsTheEpochFails() {
        assertThat(failures(run(ForgetsTheEpoch.class, RingStoreContract.Commit.class)))
                .contains("aWrongEpochIsFencedAndChangesNothing()", "aFlushWithoutClaimsStillChecksEpochAndGate()");
    }

    @Test
    void aStoreThatForgetsTheGateAndItsUpdateCountsFails() {
        assertThat(failures(run(ForgetsToCount.class, RingStoreContract.Commit.class)))
                .contains(
                        "aWrongGateIsCorruptAndChangesNothing()",
                        "aClaimAboveTheNextSequenceIsCorruptAndChangesNothing()");
    }

    @Test
    void aStoreThatLosesTheLastRowOfABatchFails() {
        assertThat(failures(run(LosesTheLastRow.class, RingStoreContract.Commit.class)))
                .contains("whatIsFlushedIsThereAfterReopening()", "oneFlushCarriesMessagesOfManyAddresses()");
    }

    @Test
    void aStoreThatDropsALedgerRowFails() {
        assertThat(failures(run(DropsALedgerRow.class, RingStoreContract.Settle.class)))
                .contains("settlementsAcrossABlockBoundaryAreTwoRows()", "bitsAreToldApart()");
    }

    @Test
    void aStoreThatReclaimsWithoutMovingFails() {
        assertThat(failures(run(ReclaimsWithoutMoving.class, RingStoreContract.Reclaim.class)))
                .contains("exactlyWhatIsOwedMovesWithTheBitsThatOweIt()", "theCallersCountMustBeTheTables()");
    }

    @Test
    void aStoreThatReadsWithoutLimitFails() {
        assertThat(failures(run(ReadsWithoutLimit.class, RingStoreContract.Read.class)))
                .contains("theBacklogStopsAfterTheRowThatReachesTheBytesAskedFor()");
    }

    @Test
    void aStoreThatCutsLargeBodiesShortFails() {
        assertThat(failures(run(CutsBodiesShort.class, RingStoreContract.Overflow.class)))
                .contains("aStagedBodyIsReadBackWhole()");
    }

    @Test
    void aStoreThatForgetsHowFarCopiesHaveComeFails() {
        assertThat(failures(run(ForgetsReplays.class, RingStoreContract.Replay.class)))
                .contains(
                        "positionsComeBackWithTheCopiesTheyWereFlushedWith()",
                        "aPositionThatWouldGoBackIsCorruptAndStoresNothing()");
    }

    // ---- the broken ones

    static class Sound extends RingStoreContract {
        @Override
        protected TestDatabase database() throws Exception {
            return new BrokenDatabase(SqliteTestDatabase.migrated(), this::call);
        }

        /** Acts instead of the store's verb. */
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            try {
                return verb.invoke(store, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    abstract static class FlushesOtherwise extends Sound {
        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            return super.call(
                    store,
                    verb,
                    arguments != null && arguments[0] instanceof Flush flush
                            ? new Object[] {otherwise(flush)}
                            : arguments);
        }

        abstract Flush otherwise(Flush flush);
    }

    static class ForgetsTheEpoch extends FlushesOtherwise {
        private long epoch;

        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            Object answer = super.call(store, verb, arguments);
            if (answer instanceof io.ringtable.broker.store.Ownership.Owned owned) {
                epoch = owned.epoch();
            }
            return answer;
        }

        @Override
        Flush otherwise(Flush f) {
            return new Flush(
                    epoch,
                    f.gate(),
                    f.claims(),
                    f.settlements(),
                    f.backlogSettlements(),
                    f.redeliveries(),
                    f.dispatchBounds(),
                    f.dispatchBound(),
                    f.inboxIds(),
                    f.producers(),
                    f.duplicateIds(),
                    f.replays());
        }
    }

    static class ForgetsReplays extends FlushesOtherwise {
        @Override
        Flush otherwise(Flush f) {
            return new Flush(
                    f.epoch(),
                    f.gate(),
                    f.claims(),
                    f.settlements(),
                    f.backlogSettlements(),
                    f.redeliveries(),
                    f.dispatchBounds(),
                    f.dispatchBound(),
                    f.inboxIds(),
                    f.producers(),
                    f.duplicateIds(),
                    List.of());
        }
    }

    static class LosesTheLastRow extends FlushesOtherwise {
        @Override
        Flush otherwise(Flush f) {
            return with(f, withoutLast(f.claims()), f.settlements());
        }
    }

    static class DropsALedgerRow extends FlushesOtherwise {
        @Override
        Flush otherwise(Flush f) {
            return f.settlements().size() > 1 ? with(f, f.claims(), withoutLast(f.settlements())) : f;
        }
    }

    static class ForgetsToCount extends Sound {
        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            try {
                return super.call(store, verb, arguments);
            } catch (StoreFailure failure) {
                if (verb.getName().equals("flush") && failure.kind() == StoreFailure.Kind.CORRUPT) {
                    return null;
                }
                throw failure;
            }
        }
    }

    static class ReclaimsWithoutMoving extends Sound {
        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            if (verb.getName().equals("reclaim")) {
                long epoch = (Long) arguments[0];
                long gate = (Long) arguments[1];
                settleEverything(store, epoch, gate, (Long) arguments[2]);
                return store.reclaim(epoch, gate, (Long) arguments[2], 0);
            }
            return super.call(store, verb, arguments);
        }

        private static void settleEverything(RingStore store, long epoch, long gate, long newGate) {
            byte[] all = new byte[RingGeometry.BLOCK_BYTES];
            Arrays.fill(all, (byte) 0xff);
            List<Flush.Settlement> settlements = new ArrayList<>();
            for (SubscriptionRow s : store.recover(epoch, row -> {}).subscriptions()) {
                for (long block = RingGeometry.blockOf(gate); block < RingGeometry.blockOf(newGate); block++) {
                    settlements.add(new Flush.Settlement(block, s.bit(), all));
                }
            }
            store.flush(
                    new Flush(epoch, gate, List.of(), settlements, List.of(), List.of(), List.of(), Flush.UNCHANGED));
        }
    }

    static class ReadsWithoutLimit extends Sound {
        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            if (verb.getName().equals("readBacklog")) {
                arguments[5] = Long.MAX_VALUE;
            }
            return super.call(store, verb, arguments);
        }
    }

    static class CutsBodiesShort extends Sound {
        @Override
        Object call(RingStore store, Method verb, Object[] arguments) throws Throwable {
            if (verb.getName().equals("stage")) {
                byte[] body = (byte[]) arguments[2];
                arguments[2] = Arrays.copyOf(body, Math.max(0, body.length - 1));
            }
            return super.call(store, verb, arguments);
        }
    }

    /** A database whose stores call something else. */
    private record BrokenDatabase(TestDatabase sound, Call call) implements TestDatabase {
        interface Call {
            Object on(RingStore store, Method verb, Object[] arguments) throws Throwable;
        }

        @Override
        public RingStore open() {
            RingStore store = sound.open();
            return (RingStore) Proxy.newProxyInstance(
                    RingStore.class.getClassLoader(),
                    new Class<?>[] {RingStore.class},
                    (proxy, verb, arguments) -> call.on(store, verb, arguments));
        }

        @Override
        public io.ringtable.broker.store.jdbc.StoreSettings settings() {
            return sound.settings();
        }

        @Override
        public Connection connect() throws SQLException {
            return sound.connect();
        }

        @Override
        public void refuseRowsOf(long addressId) throws SQLException {
            sound.refuseRowsOf(addressId);
        }

        @Override
        public void loseChunk(long bodyId) throws SQLException {
            sound.loseChunk(bodyId);
        }

        @Override
        public void bringBackEpoch(long epoch) throws SQLException {
            sound.bringBackEpoch(epoch);
        }

        @Override
        public void damageRing(long sequence) throws SQLException {
            sound.damageRing(sequence);
        }

        @Override
        public String plan(String statement) throws SQLException {
            return sound.plan(statement);
        }

        @Override
        public String scan() {
            return sound.scan();
        }

        @Override
        public List<QueryPlan> hotPlans() throws SQLException {
            return sound.hotPlans();
        }

        @Override
        public void close() throws Exception {
            sound.close();
        }
    }

    // ---- running them

    private static TestExecutionSummary run(Class<? extends RingStoreContract> broken, Class<?>... verbs) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(verbs)
                        .map(verb -> selectNestedClass(List.of(broken), verb))
                        .toList())
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        assertThat(listener.getSummary().getTestsFoundCount()).isPositive();
        return listener.getSummary();
    }

    private static Set<String> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(failure -> failure.getTestIdentifier().getDisplayName())
                .collect(Collectors.toSet());
    }

    private static Flush with(Flush f, List<StoredMessage> claims, List<Flush.Settlement> settlements) {
        return new Flush(
                f.epoch(),
                f.gate(),
                claims,
                settlements,
                f.backlogSettlements(),
                f.redeliveries(),
                f.dispatchBounds(),
                f.dispatchBound(),
                f.inboxIds(),
                f.producers(),
                f.duplicateIds(),
                f.replays());
    }

    private static <T> List<T> withoutLast(List<T> rows) {
        return rows.isEmpty() ? rows : rows.subList(0, rows.size() - 1);
    }
}

package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.ring.Bitmap;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settling in the caller's own transaction: a message is settled by one transaction, whoever else tries when. */
public abstract class SettlingContract {
    private static final long SUBSCRIPTION = 1;

    private TestDatabase database;
    private OneTopic ring;
    private Tags tags;
    private Connection caller;
    private Connection other;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    /** Levels of {@link Connection} at which a statement may not see what was committed before it. */
    protected abstract List<Integer> refusedIsolations();

    /** Takes the settlement over as a flush does, without its commit. */
    protected abstract void takeOverUncommitted(Connection flush, int sequence) throws SQLException;

    /** Returns once a session of the database waits for a lock, if the server tells. */
    protected abstract void awaitLockWait(TestDatabase at) throws SQLException;

    /** Whether the error says that the message was settled before. */
    protected abstract boolean isSettledAlready(SQLException failure);

    /** Whether the error says that it cannot be settled so. */
    protected abstract boolean isRefusal(SQLException failure);

    @BeforeEach
    void lay() throws Exception {
        try {
            database = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
        tags = Tags.of(ring.store);
        caller = transaction();
        other = transaction();
        ring.publish(100);
    }

    private Connection transaction() throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            caller.close();
            other.close();
            ring.close();
            database.close();
        }
    }

    /** In a transaction; what it changes is rolled back. */
    protected final Connection caller() {
        return caller;
    }

    protected final OneTopic ring() {
        return ring;
    }

    @Test
    void isThereOnceItsTransactionHasCommitted() throws SQLException {
        settle(caller, 7);
        assertThat(read()).isEmpty();
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.subscriptionId()).isEqualTo(SUBSCRIPTION);
        assertThat(row.sequence()).isEqualTo(7);
        assertThat(row.place()).isEqualTo(Place.RING);
        assertThat(row.addressId()).isZero();
        assertThat(row.ageMs()).isBetween(0L, 60_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "_", "A", "z", "9"})
    void itsTagMayEndWithAnyDigit(String digit) throws SQLException {
        String tag = LongStream.range(0, 10_000)
                .mapToObj(sequence -> tags.tag(ring.epoch, SUBSCRIPTION, sequence))
                .filter(each -> each.endsWith(digit))
                .findFirst()
                .orElseThrow();
        settle(caller, tag);
        assertThat(read()).isEmpty();
        caller.rollback();
    }

    @Test
    void aRollBackLeavesItToTheNext() throws SQLException {
        settle(caller, 7);
        caller.rollback();
        settle(other, 7);
        other.commit();
        assertThat(read()).hasSize(1);
    }

    @Test
    void theSecondIsRefusedBeforeItsRowIsTakenOverAndAfter() throws SQLException {
        settle(caller, 7);
        caller.commit();
        assertRefused(() -> settle(other, 7));
        other.rollback();
        takeOver(7);
        assertThat(read()).isEmpty();
        assertRefused(() -> settle(other, 7));
        other.rollback();
        settle(other, 8);
        other.commit();
    }

    @Test
    void aFlushWaitsForNoOpenTransactionWhoseSettlementLiesBetween() throws SQLException {
        settle(other, 7);
        other.commit();
        settle(caller, 8);
        settle(other, 9);
        other.commit();
        assertThat(read()).extracting(InboxSettlement::sequence).containsExactlyInAnyOrder(7L, 9L);
        takeOver(7, 9); // a lock of the open one would end in a time-out
        caller.commit();
        assertThat(read()).extracting(InboxSettlement::sequence).containsExactly(8L);
    }

    @Test
    void whatItsConsumerAcceptedFromTheBrokerIsSettled() throws SQLException {
        ring.settle(0);
        assertRefused(() -> settle(caller, 7));
    }

    @Test
    void theSecondWaitsForTheFirstAndIsRefusedIfThatCommits() throws Exception {
        settle(caller, 7);
        CompletableFuture<Void> second = settleElsewhere(7);
        assertThatWaits(second);
        caller.commit();
        assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS)).hasMessageContaining("RT-3060");
    }

    @Test
    void theSecondGoesOnIfTheFirstRollsBack() throws Exception {
        settle(caller, 7);
        CompletableFuture<Void> second = settleElsewhere(7);
        assertThatWaits(second);
        caller.rollback();
        second.get(60, TimeUnit.SECONDS);
        other.commit();
        assertThat(read()).hasSize(1);
    }

    @Test
    void whoComesWhileTheRowIsTakenOverWaitsForTheFlushAndSeesItsLedger() throws Exception {
        settle(caller, 7);
        caller.commit();
        try (Connection flush = transaction()) {
            takeOverUncommitted(flush, 7);
            CompletableFuture<Void> second = settleElsewhere(7);
            assertThatWaits(second);
            flush.commit();
            assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS)).hasMessageContaining("RT-3060");
        }
    }

    @Test
    void aMessageInTheBacklogIsFoundThereWithWhatItsSettlementNeeds() throws SQLException {
        settle(caller, 6);
        caller.commit();
        ring.publish(OneTopic.SEGMENT);
        takeOver(6);
        ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, OneTopic.SEGMENT - 1);
        ring.gate = OneTopic.SEGMENT;
        settle(caller, 7);
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.place()).isEqualTo(Place.BACKLOG);
        assertThat(row.pending()).isEqualTo(1);
        assertThat(row.bytes()).isEqualTo(300);
        assertRefused(() -> settle(other, 6)); // was not moved: settled before
        other.rollback();
        byte[] settled = Bitmap.empty();
        Bitmap.set(settled, 7);
        ring.store.flush(new Flush(
                ring.epoch,
                ring.gate,
                List.of(),
                List.of(),
                List.of(new Flush.BacklogSettlement(0, 0, 0, settled)),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                List.of(row.id())));
        assertRefused(() -> settle(other, 7));
        other.rollback();
        ring.store.discard(ring.epoch, 0, 0, OneTopic.SEGMENT);
        assertRefused(() -> settle(other, 7)); // the row is gone, and so will be its ledger
    }

    @Test
    void aTransactionWithOneSnapshotIsRefused() throws SQLException {
        for (int isolation : refusedIsolations()) {
            caller.setTransactionIsolation(isolation);
            assertThatThrownBy(() -> settle(caller, 7)).hasMessageContaining("RT-3062 settling needs READ COMMITTED");
            caller.rollback();
        }
    }

    @Test
    void aDeliveryOfAnEarlierOwnerIsRefused() throws SQLException {
        long before = ring.epoch;
        ring.own();
        assertThatThrownBy(() -> settle(caller, tags.tag(before, SUBSCRIPTION, 7)))
                .hasMessageContaining("RT-3063")
                .hasMessageContaining("epoch " + before)
                .hasMessageContaining("at " + ring.epoch);
    }

    @Test
    void aSubscriptionThatWasDeletedOwesNothing() throws SQLException {
        settle(caller, 7);
        ring.store.alter(ring.epoch, List.of(new CatalogChange.Unsubscribe(SUBSCRIPTION)));
        assertThatThrownBy(() -> settle(other, 8)).hasMessageContaining("RT-3064");
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.place()).isEqualTo(Place.NOWHERE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "17",
                "1.2",
                "1.2.3",
                "1.2.3.4",
                "B.C.D.AAAAAAAAA",
                "B.C.D.AAAAAAAAAAA",
                "B.C.D.AAAAAAAAAA.",
                "B.C.D AAAAAAAAAA",
                "B..D.AAAAAAAAAA",
                "B.C.D.AAAAAAAA+A",
                "B.C.ABCDEFGHIJK.AAAAAAAAAA",
                "B:C.AAAAAAAAAA",
                "B:.C.D.AAAAAAAAAA",
                "B:C:D.AAAAAAAAAA",
                "B.C:D.AAAAAAAAAA",
                ":B.C.D.AAAAAAAAAA"
            })
    void whatIsNoDeliveryIsRefused(String tag) {
        assertThatThrownBy(() -> settle(caller, tag))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(isRefusal(refused)).isTrue())
                .hasMessageContaining("RT-3061");
    }

    /** Every digit of it counts, and what it is a code of. */
    @Test
    void whatTheBrokerHasNotMadeIsRefusedAndKeepsNobodyOut() throws SQLException {
        String honest = tags.tag(ring.epoch, SUBSCRIPTION, 7);
        String code = honest.substring(honest.lastIndexOf('.'));
        List<String> forged = new ArrayList<>();
        for (int i = 1; i < code.length(); i++) {
            char other = code.charAt(i) == 'A' ? 'B' : 'A';
            forged.add(honest.replace(code, code.substring(0, i) + other + code.substring(i + 1)));
        }
        String ofAnother = tags.tag(ring.epoch, SUBSCRIPTION, 8);
        forged.add(ofAnother.replaceAll("[.][^.]+$", code));
        forged.add(tags.tag(ring.epoch + 1, SUBSCRIPTION, 7).replaceAll("[.][^.]+$", code));
        forged.add(tags.tag(ring.epoch, SUBSCRIPTION + 1, 7).replaceAll("[.][^.]+$", code));
        forged.add(Tags.with(DeliveryKey.random()).tag(ring.epoch, SUBSCRIPTION, 7));
        for (String tag : forged) {
            assertThatThrownBy(() -> settle(caller, tag))
                    .as(tag)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(isRefusal(refused)).isTrue())
                    .hasMessageContaining("RT-3350")
                    .hasMessageContaining("epoch");
            caller.commit(); // where the error leaves something to commit
        }
        assertThat(read()).isEmpty();
        settle(other, 7);
        other.commit();
        assertThat(read()).hasSize(1);
    }

    /** Of whoever came first: a tag from before a fail-over has the same code after it. */
    @Test
    void allOwnersHaveOneKey() {
        byte[] proposed = DeliveryKey.random().secret();
        byte[] first = ring.store
                .keepDeliveryKey(new DeliveryKey(proposed))
                .orElseThrow()
                .secret();
        try (RingStore standby = database.open()) {
            assertThat(standby.keepDeliveryKey(DeliveryKey.random())
                            .orElseThrow()
                            .secret())
                    .isEqualTo(first)
                    .isNotEqualTo(proposed);
        }
    }

    protected final void settle(Connection connection, long sequence) throws SQLException {
        settle(connection, tags.tag(ring.epoch, SUBSCRIPTION, sequence));
    }

    protected static void settle(Connection connection, String tag) throws SQLException {
        try (CallableStatement call = connection.prepareCall("{call ringtable.settle(?)}")) {
            call.setString(1, tag);
            call.execute();
        }
    }

    private CompletableFuture<Void> settleElsewhere(long sequence) {
        return CompletableFuture.runAsync(() -> {
            try {
                settle(other, sequence);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void assertThatWaits(CompletableFuture<Void> call) throws SQLException {
        awaitLockWait(database);
        assertThat(call).isNotDone();
    }

    private void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        SQLException refused = catchThrowableOfType(SQLException.class, call);
        assertThat(isSettledAlready(refused)).as(refused.toString()).isTrue();
        assertThat(refused.getMessage()).contains("RT-3060");
    }

    protected final List<InboxSettlement> read() {
        List<InboxRow> rows = ring.store.readInbox(List.of(), 100, 1 << 20);
        return rows.stream().map(InboxSettlement.class::cast).toList();
    }

    /** Flushes what the inbox has: rows that settle these messages. */
    private void takeOver(int... sequences) {
        byte[] settled = Bitmap.empty();
        for (int sequence : sequences) {
            Bitmap.set(settled, sequence);
        }
        Flush batch = ring.batch(0, new Flush.Settlement(0, 0, settled));
        ring.store.flush(new Flush(
                batch.epoch(),
                batch.gate(),
                List.of(),
                batch.settlements(),
                List.of(),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                read().stream().map(InboxSettlement::id).toList()));
    }
}

package io.ringtable.broker.store;

import static io.ringtable.broker.store.InboxFixture.collect;
import static io.ringtable.broker.store.InboxFixture.ids;
import static io.ringtable.broker.store.InboxFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.jdbc.RingStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Passes messages on from the inbox of shard 0 to the shard in which their address lives (ADR 53). A row is always in
 * one inbox. The other shard sees it as its application published it, in the order of its caller.
 */
@Timeout(120)
public abstract class PassingOnContract {
    private static final int NEIGHBOUR = 3; // number of the second shard
    private static final int FARTHER = 5; // number of a shard in another database

    private InboxFixture inbox;
    private OneTopic neighbour;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    protected abstract InboxCalls calls();

    @BeforeEach
    void layTwo() throws Exception {
        try {
            inbox = new InboxFixture(database(), calls());
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        neighbour = OneTopic.laid(RingStores.open(inbox.database.settings().ofShard(NEIGHBOUR)), NEIGHBOUR);
    }

    @AfterEach
    void remove() throws Exception {
        if (neighbour != null) {
            neighbour.close();
        }
        if (inbox != null) {
            inbox.close();
        }
    }

    @Test
    void theOtherShardAloneCollectsWhatIsPassedOn() throws SQLException {
        for (String text : List.of("one", "two", "three")) {
            inbox.calls.publish(inbox.caller, "orders", text, "{\"n\": 1}");
        }
        inbox.caller.commit();
        List<InboxMessage> before = inbox.read();

        passOn(before.subList(0, 2));

        assertThat(inbox.read()).extracting(InboxFixture::text).containsExactly("three");
        List<InboxMessage> there = read(neighbour);
        assertThat(there).extracting(InboxFixture::text).containsExactly("one", "two");
        assertThat(ids(there)).isEqualTo(ids(before.subList(0, 2)));
        assertThat(there.get(0).address()).isEqualTo("orders");
        assertThat(there.get(0).properties()).isEqualTo(before.get(0).properties());
        collect(neighbour, there);
        assertThat(read(neighbour)).isEmpty();
        assertThat(inbox.read()).hasSize(1);
        assertThat(neighbour.recover().next()).isEqualTo(2);
        assertThat(inbox.ring.recover().next()).isZero();
    }

    @Test
    void oneCallPassesOnAsManyRowsAsALookFinds() throws SQLException {
        List<String> texts = IntStream.range(0, InboxFixture.ROWS_MAX)
                .mapToObj(i -> "message " + i)
                .toList();
        for (String text : texts) {
            inbox.publish("orders", text);
        }
        inbox.caller.commit();

        passOn(inbox.read());

        assertThat(inbox.read()).isEmpty();
        assertThat(read(neighbour)).extracting(InboxFixture::text).isEqualTo(texts);
    }

    @Test
    void anOpenTransactionHoldsNothingUpAndALaterLookFindsIt() throws SQLException {
        try (Connection other = inbox.database.connect()) {
            inbox.publish(other, "orders", "lowest");
            inbox.publish("orders", "low");
            inbox.publish(other, "orders", "high");
            passOn(inbox.read());
            assertThat(read(neighbour)).extracting(InboxFixture::text).containsExactly("lowest", "high");
            inbox.caller.commit();
            passOn(inbox.read());
            assertThat(read(neighbour)).extracting(InboxFixture::text).containsExactly("lowest", "low", "high");
        }
    }

    /** An address may be deleted there, and created anew here, while its messages are on their way. */
    @Test
    void theOtherShardPassesBackWhatLivesHereByThen() throws SQLException {
        inbox.publish("orders", "one");
        inbox.publish("orders", "two");
        inbox.caller.commit();
        List<Long> ids = ids(inbox.read());
        passOn(inbox.read());

        neighbour.store.passOn(neighbour.epoch, 0, ids.subList(1, 2));

        assertThat(read(neighbour)).extracting(InboxFixture::text).containsExactly("one");
        assertThat(inbox.read()).extracting(InboxFixture::text).containsExactly("two");
        collect(inbox.ring, inbox.read());
        collect(neighbour, read(neighbour));
        assertThat(inbox.ring.recover().next()).isEqualTo(1);
        assertThat(neighbour.recover().next()).isEqualTo(1);
    }

    @Test
    void ofSeveralRowsAllArePassedOnOrNone() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.commit();
        long id = inbox.read().get(0).id();
        StoreFailure failure = catchThrowableOfType(
                StoreFailure.class,
                () -> inbox.ring.store.passOn(inbox.ring.epoch, NEIGHBOUR, List.of(id, id + 1_000)));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.CORRUPT);
        assertThat(failure).hasMessageContaining("inbox: 1 rows passed on where 2 must");
        assertThat(inbox.read()).hasSize(1);
        assertThat(read(neighbour)).isEmpty();
    }

    @Test
    void aFormerOwnerPassesNothingOn() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.commit();
        List<Long> ids = ids(inbox.read());
        long former = inbox.ring.epoch;
        inbox.ring.own();
        StoreFailure failure =
                catchThrowableOfType(StoreFailure.class, () -> inbox.ring.store.passOn(former, NEIGHBOUR, ids));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(inbox.read()).hasSize(1);
        assertThat(read(neighbour)).isEmpty();
    }

    @Test
    void tellsWhichMessagesAreOnTheirWayToWhichShards() throws SQLException {
        assertThat(inbox.ring.store.readPassedOn()).isEmpty();
        for (String address : List.of("stays", "orders", "orders", "orders ", "both", "both")) {
            inbox.publish(address, "text");
        }
        inbox.caller.commit();
        List<Long> ids = ids(inbox.read());
        passOn(inbox.read().subList(1, 5));
        inbox.ring.store.passOn(inbox.ring.epoch, FARTHER, ids.subList(5, 6));

        assertThat(inbox.ring.store.readPassedOn())
                .isEqualTo(Map.of(
                        "orders", Set.of(NEIGHBOUR), "orders ", Set.of(NEIGHBOUR), "both", Set.of(NEIGHBOUR, FARTHER)));
        assertThat(neighbour.store.readPassedOn()).isEqualTo(Map.of("both", Set.of(FARTHER)));
        collect(neighbour, read(neighbour));
        assertThat(inbox.ring.store.readPassedOn()).isEqualTo(Map.of("both", Set.of(FARTHER)));
    }

    @Test
    void tellsWhichShardsHaveCommittedRows() throws SQLException {
        assertThat(inbox.ring.store.readInboxShards()).isEmpty();
        inbox.publish("orders", "one");
        assertThat(neighbour.store.readInboxShards()).as("while it is open").isEmpty();
        inbox.publish("orders", "two");
        inbox.publish("orders", "three");
        inbox.caller.commit();
        assertThat(neighbour.store.readInboxShards()).containsExactly(0);
        List<InboxMessage> rows = inbox.read();
        passOn(rows.subList(0, 1));
        inbox.ring.store.passOn(inbox.ring.epoch, FARTHER, ids(rows.subList(1, 2)));

        assertThat(inbox.ring.store.readInboxShards()).containsExactlyInAnyOrder(0, NEIGHBOUR, FARTHER);
        collect(neighbour, read(neighbour));
        collect(inbox.ring, inbox.read());
        assertThat(neighbour.store.readInboxShards()).containsExactly(FARTHER);
    }

    @Test
    void waitsForNoTransactionThatIsOpen() throws SQLException {
        inbox.publish("orders", "open");
        assertThat(neighbour.store.readPassedOn()).isEmpty();
        assertThat(inbox.ring.store.readPassedOn()).isEmpty();
    }

    /** Passes everything on while its callers publish. */
    @Test
    void everyLookOfTheOtherShardTakesUpEveryCallerWhereTheLastOneEnded() throws Exception {
        try (InboxCallers callers = InboxCallers.begin(inbox)) {
            CompletableFuture<Void> passing = CompletableFuture.runAsync(() -> passOnUntil(callers::haveEnded));
            Map<String, Integer> taken = InboxCallers.takeUp(neighbour, passing::isDone);
            passing.get(1, TimeUnit.MINUTES);
            assertThat(taken).isEqualTo(callers.committed());
        }
    }

    private void passOnUntil(BooleanSupplier ended) {
        boolean last = false;
        while (!last) {
            last = ended.getAsBoolean();
            for (List<InboxMessage> rows = inbox.read(); !rows.isEmpty(); rows = inbox.read()) {
                passOn(rows);
            }
        }
    }

    private void passOn(List<InboxMessage> rows) {
        inbox.ring.store.passOn(inbox.ring.epoch, NEIGHBOUR, ids(rows));
    }
}

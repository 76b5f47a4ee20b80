package io.ringtable.broker.store;

import static io.ringtable.broker.store.InboxFixture.ids;
import static io.ringtable.broker.store.InboxFixture.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import io.ringtable.broker.store.jdbc.RingStores;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Takes messages over from the inbox of one database into that of another one (ADR 63), and keeps which shard lies
 * where.
 */
@Timeout(120)
public abstract class CrossingContract {
    private static final int FAR = 2; // number of the shard in the other database
    private static final int ORIGIN = 0;

    private InboxFixture near;
    private TestDatabase farDatabase;
    private OneTopic far;
    private RingStore farInNear; // what lies for the far shard in the near database

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    protected abstract InboxCalls calls();

    /** The message of the error that refuses to settle the tag on a connection to the database. */
    protected abstract String refusedToSettle(TestDatabase database, String tag) throws SQLException;

    @BeforeEach
    void layTwo() throws Exception {
        try {
            near = new InboxFixture(database(), calls());
            farDatabase = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        far = OneTopic.laid(RingStores.open(farDatabase.settings().ofShard(FAR)), FAR);
        farInNear = RingStores.open(near.database.settings().ofShard(FAR));
    }

    @AfterEach
    void remove() throws Exception {
        if (far != null) {
            farInNear.close();
            far.close();
            farDatabase.close();
        }
        if (near != null) {
            near.close();
        }
    }

    private List<InboxMessage> passedOn(String... texts) throws SQLException {
        for (String text : texts) {
            near.publish("orders", text);
        }
        near.caller.commit();
        near.ring.store.passOn(near.ring.epoch, FAR, ids(near.read()));
        return waiting();
    }

    private List<InboxMessage> waiting() {
        return InboxFixture.messages(farInNear.readInbox(Set.of(), InboxFixture.ROWS_MAX, InboxFixture.BYTES_MAX));
    }

    private long open() {
        return far.store.openCrossing(far.epoch, ORIGIN).number();
    }

    private void takeOver(long number, List<InboxMessage> messages) {
        far.store.takeOver(far.epoch, ORIGIN, number, messages);
    }

    @Test
    void aMessageArrivesAsItWasPublished() throws SQLException {
        byte[] bytes = {0, -1, 127, -128, 10};
        near.calls.publish(near.caller, "queue://orders", "grün 🌱", "{\"n\": 1, \"priority\": 7}");
        near.calls.publishBytes(near.caller, "topic://news", bytes, null);
        near.calls.publish(near.caller, "orders", "", null);
        List<InboxMessage> before = passedOn("x".repeat(500_000));
        assertThat(near.read()).isEmpty();

        takeOver(open() + 1, before);
        farInNear.removeTakenOver(ids(before));

        assertThat(waiting()).isEmpty();
        List<InboxMessage> after = read(far);
        assertThat(after).hasSize(4);
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("id", "ageMs")
                .isEqualTo(before);
        assertThat(after.get(0).publishedBy()).isEqualTo(near.calls.user(near.caller));
        InboxFixture.collect(far, after);
        assertThat(read(far)).isEmpty();
        assertThat(far.recover().next()).isEqualTo(4);
    }

    @Test
    void ageAndOrderAreThoseOfTheOtherInbox() throws SQLException {
        String[] texts = IntStream.range(0, InboxFixture.ROWS_MAX)
                .mapToObj(i -> "message " + i)
                .toArray(String[]::new);
        List<InboxMessage> before = passedOn(texts).stream()
                .map(row -> new InboxMessage(
                        row.id(),
                        row.address(),
                        row.kind(),
                        row.text(),
                        row.body(),
                        row.properties(),
                        90_061_001, // a day and more
                        row.publishedBy()))
                .toList();
        takeOver(open() + 1, before);

        assertThat(read(far)).extracting(InboxFixture::text).containsExactly(texts);
        assertThat(read(far)).allSatisfy(row -> assertThat(row.ageMs()).isGreaterThanOrEqualTo(90_061_001));
    }

    @Test
    void whatTheLastCallTookOverIsKnownUntilTheNextOne() throws SQLException {
        assertThat(far.store.openCrossing(far.epoch, ORIGIN).inboxIds()).isEmpty();
        List<InboxMessage> first = passedOn("one", "two");
        takeOver(open() + 1, first);
        Crossing crossing = far.store.openCrossing(far.epoch, ORIGIN);
        assertThat(crossing.inboxIds()).containsExactlyElementsOf(ids(first));
        assertThat(far.store.openCrossing(far.epoch, ORIGIN + 1).inboxIds())
                .as("of another database")
                .isEmpty();
        farInNear.removeTakenOver(crossing.inboxIds());
        farInNear.removeTakenOver(crossing.inboxIds()); // its answer was lost
        List<InboxMessage> second = passedOn("three");
        takeOver(crossing.number() + 1, second);
        assertThat(far.store.openCrossing(far.epoch, ORIGIN).inboxIds()).isEqualTo(ids(second));
        assertThat(read(far)).extracting(InboxFixture::text).containsExactly("one", "two", "three");
    }

    @Test
    void aCallThatComesLateChangesNothing() throws SQLException {
        List<InboxMessage> rows = passedOn("one");
        long number = open();
        takeOver(open() + 1, rows); // the first opener believes that its own call was lost

        StoreFailure late = catchThrowableOfType(StoreFailure.class, () -> takeOver(number + 1, rows));
        assertThat(late.kind()).isEqualTo(StoreFailure.Kind.RETRYABLE);
        assertThat(read(far)).hasSize(1);
    }

    @Test
    void aFormerOwnerTakesNothingOver() throws SQLException {
        List<InboxMessage> rows = passedOn("one");
        long number = open();
        long former = far.epoch;
        far.own();

        assertThat(catchThrowableOfType(StoreFailure.class, () -> far.store.takeOver(former, ORIGIN, number + 1, rows))
                        .kind())
                .isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(catchThrowableOfType(StoreFailure.class, () -> far.store.openCrossing(former, ORIGIN))
                        .kind())
                .isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(read(far)).isEmpty();
        takeOver(number + 1, rows);
        assertThat(read(far)).hasSize(1);
    }

    @Test
    void eachDatabaseKnowsWhereShardsLieAndKeepsTheTokenThatItHas() {
        assertThat(near.ring.store.placements()).isEqualTo(new Placements(Set.of(0), List.of()));
        assertThat(far.store.placements()).isEqualTo(new Placements(Set.of(FAR), List.of()));
        List<Placed> rows =
                List.of(new Placed(0, "token-0", true, "main", "near"), new Placed(FAR, "token-2", false, "b", "far"));
        near.ring.store.keepPlacements(rows);
        near.ring.store.keepPlacements(List.of(
                new Placed(0, "another", true, "nobody", "nowhere"),
                new Placed(FAR, "token-2", false, "renamed", "moved")));
        assertThat(near.ring.store.placements().recorded())
                .containsExactly(rows.get(0), new Placed(FAR, "token-2", false, "renamed", "moved"));
        assertThat(near.ring.store.shards()).isEqualTo(FAR + 1);
    }

    @Test
    void anApplicationPublishesIntoTheLowestShardOfItsDatabase() throws SQLException {
        far.store.keepPlacements(
                List.of(new Placed(0, "token-0", false, "main", "near"), new Placed(FAR, "token-2", true, "b", "far")));
        try (var caller = farDatabase.connect()) {
            near.calls.publish(caller, "orders", "in the other database", null);
        }
        assertThat(read(far)).extracting(InboxFixture::text).containsExactly("in the other database");
    }

    @Test
    void settlingInAnotherDatabaseIsRefusedWithItsName() throws SQLException {
        String tag = Tags.of(far.store).tag(far.epoch, ShardIds.first(FAR) + 1, 0);
        assertThat(refusedToSettle(near.database, tag)).contains("RT-3350");
        near.ring.store.keepPlacements(List.of(new Placed(FAR, "token-2", false, "b", "jdbc:example://far/ringtable")));
        assertThat(refusedToSettle(near.database, tag))
                .contains("RT-4545")
                .contains("is of shard 2, which lies in another database, jdbc:example://far/ringtable");
    }
}

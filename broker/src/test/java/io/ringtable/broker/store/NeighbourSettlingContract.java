package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.ring.Bitmap;
import io.ringtable.broker.store.jdbc.RingStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settling in a database with two shards, whose rings hold the same sequences: a delivery tag says which of them. */
public abstract class NeighbourSettlingContract {
    private static final int SHARD = 700;

    private TestDatabase database;
    private OneTopic first;
    private OneTopic neighbour;
    private Tags ofFirst;
    private Tags ofNeighbour;
    private Connection caller;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    @BeforeEach
    void layTwo() throws Exception {
        try {
            database = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        first = OneTopic.laid(database.open());
        neighbour = OneTopic.laid(RingStores.open(database.settings().ofShard(SHARD)), SHARD);
        ofFirst = Tags.of(first.store);
        ofNeighbour = Tags.of(neighbour.store);
        caller = database.connect();
        caller.setAutoCommit(false);
        first.publish(100);
        neighbour.publish(100);
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            caller.close();
            neighbour.close();
            first.close();
            database.close();
        }
    }

    @Test
    void eachDeliveryIsSettledInItsOwnShard() throws SQLException {
        settle(tag(ofNeighbour, neighbour, 7));
        settle(tag(ofFirst, first, 8));
        caller.commit();
        assertThat(read(first)).singleElement().satisfies(row -> {
            assertThat(row.subscriptionId()).isEqualTo(first.subscriptionId());
            assertThat(row.sequence()).isEqualTo(8);
        });
        assertThat(read(neighbour)).singleElement().satisfies(row -> {
            assertThat(row.subscriptionId()).isEqualTo(neighbour.subscriptionId());
            assertThat(row.addressId()).isEqualTo(neighbour.addressId);
            assertThat(row.sequence()).isEqualTo(7);
            assertThat(row.place()).isEqualTo(Place.RING);
        });
    }

    @Test
    void whatOneShardHasSettledIsStillOwedInTheOther() throws SQLException {
        String tag = tag(ofNeighbour, neighbour, 7);
        settle(tag);
        caller.commit();
        assertThatSettledAlready(tag);
        takeOver(neighbour, 7);
        assertThat(read(neighbour)).isEmpty();
        assertThatSettledAlready(tag);
        settle(tag(ofFirst, first, 7));
        caller.commit();
        assertThat(read(first)).hasSize(1);
    }

    @Test
    void aMessageIsFoundInTheBacklogOfItsShard() throws SQLException {
        settle(tag(ofNeighbour, neighbour, 7));
        caller.commit();
        takeOver(neighbour, 7);
        neighbour.publish(OneTopic.SEGMENT);
        neighbour.store.reclaim(neighbour.epoch, 0, OneTopic.SEGMENT, OneTopic.SEGMENT - 1);
        neighbour.gate = OneTopic.SEGMENT;
        settle(tag(ofNeighbour, neighbour, 9));
        settle(tag(ofFirst, first, 9));
        caller.commit();
        assertThat(read(neighbour))
                .singleElement()
                .satisfies(row -> assertThat(row.place()).isEqualTo(Place.BACKLOG));
        assertThat(read(first))
                .singleElement()
                .satisfies(row -> assertThat(row.place()).isEqualTo(Place.RING));
        assertThatSettledAlready(tag(ofNeighbour, neighbour, 7)); // was not moved: settled before
    }

    @Test
    void theKeyOfOneShardMakesNoTagOfTheOther() {
        for (String forged : List.of(tag(ofFirst, neighbour, 7), tag(ofNeighbour, first, 7))) {
            assertThatThrownBy(() -> settle(forged)).hasMessageContaining("RT-3350");
            rollBack();
        }
    }

    private static String tag(Tags key, OneTopic ring, long sequence) {
        return key.tag(ring.epoch, ring.subscriptionId(), sequence);
    }

    private void settle(String tag) throws SQLException {
        SettlingContract.settle(caller, tag);
    }

    private void assertThatSettledAlready(String tag) {
        assertThatThrownBy(() -> settle(tag)).hasMessageContaining("RT-3060");
        rollBack();
    }

    private void rollBack() {
        try {
            caller.rollback();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<InboxSettlement> read(OneTopic from) {
        List<InboxRow> rows = from.store.readInbox(List.of(), 100, 1 << 20);
        return rows.stream().map(InboxSettlement.class::cast).toList();
    }

    /** The flush of the row that settles it. */
    private static void takeOver(OneTopic in, int sequence) {
        byte[] settled = Bitmap.empty();
        Bitmap.set(settled, sequence);
        in.store.flush(new Flush(
                in.epoch,
                in.gate,
                List.of(),
                List.of(new Flush.Settlement(0, 0, settled)),
                List.of(),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                read(in).stream().map(InboxSettlement::id).toList()));
    }
}

package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A burst of large bodies leaves nothing behind in a SQLite file that makes the small ones after it dearer. */
class SqliteGrowthTest {
    private static final int SMALL = 300;
    private static final int LARGE = 3_000; // alone on its page
    private static final int BLOCKS = StoreFixture.GEOMETRY.capacity() / RingGeometry.BLOCK;

    private SqliteTestDatabase database;
    private StoreFixture f;
    private AddressRow queue;

    @BeforeEach
    void open() throws IOException {
        database = new SqliteTestDatabase();
        f = new StoreFixture(database);
        queue = f.topic("orders", 1);
    }

    @AfterEach
    void close() throws Exception {
        f.close();
    }

    @Test
    void smallBodiesTakeAsFewPagesAfterLargeOnesAsBefore() throws Exception {
        lap(SMALL);
        lap(SMALL);
        long before = pages();
        lap(LARGE);
        assertThat(pages()).isGreaterThan(5 * before);
        lap(SMALL);
        lap(SMALL);
        assertThat(pages()).isLessThan(before * 5 / 4);
        assertThat(grown()).isZero();
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void whileLargeOnesComeNothingIsLaidAnew() throws Exception {
        lap(LARGE);
        lap(LARGE);
        lap(LARGE);
        assertThat(grown()).isEqualTo(2L * f.model.capacity);
    }

    @Test
    void aFewLargeOnesAmongSmallOnesAddUpOverTheLaps() throws Exception {
        lap(SMALL);
        lap(SMALL);
        long before = pages();
        for (int lap = 0; lap < 20; lap++) {
            for (int block = 0; block < BLOCKS; block++) {
                int at = lap;
                block(i -> i % 32 == at % 32 ? LARGE : SMALL); // others in every lap
            }
        }
        assertThat(pages()).isLessThan(before * 5 / 2);
    }

    @Test
    void whatIsStillOwedIsMovedBeforeItsSlotsAreLaidAnew() throws Exception {
        lap(LARGE);
        for (int block = 0; block < BLOCKS; block++) {
            f.reclaim(f.model.gate + RingGeometry.BLOCK); // nothing is settled
            block(i -> SMALL);
        }
        f.reclaim(f.model.gate + RingGeometry.BLOCK);
        assertThat(f.model.backlog).hasSize(f.model.capacity + RingGeometry.BLOCK);
        assertThat(grown()).as("still to be laid anew").isLessThan(f.model.capacity / 2);
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void aFileFromBeforeIsLaidAnewInItsFirstLap() throws Exception {
        lap(LARGE);
        f.store.close();
        try (Connection connection = database.connect()) {
            SqliteTestDatabase.execute(connection, "DROP TABLE growth");
            SqliteTestDatabase.execute(connection, "DROP TABLE replay");
            SqliteTestDatabase.execute(connection, "DROP TABLE setting");
            SqliteTestDatabase.execute(connection, "DROP TABLE login");
            SqliteTestDatabase.execute(connection, "DROP TABLE home");
            SqliteTestDatabase.execute(connection, "DROP TABLE directory");
            SqliteTestDatabase.execute(connection, "DROP TABLE node");
            SqliteTestDatabase.execute(connection, "ALTER TABLE slot DROP COLUMN login_id");
            SqliteTestDatabase.execute(connection, "ALTER TABLE backlog DROP COLUMN login_id");
            SqliteTestDatabase.execute(connection, "DELETE FROM ringtable_schema_history WHERE version >= '004'");
        }
        f.model.forgetLogins();
        f.reopen();
        assertThat(grown()).isEqualTo(f.model.capacity);
        lap(SMALL);
        lap(SMALL);
        assertThat(grown()).isZero();
        f.agrees();
    }

    // ---- laps

    private interface Size {
        int of(int index);
    }

    private void lap(int bytes) {
        for (int block = 0; block < BLOCKS; block++) {
            block(i -> bytes);
        }
    }

    private void block(Size size) {
        if (f.model.next - f.model.gate == f.model.capacity) {
            f.settleAll(f.model.gate, f.model.gate + RingGeometry.BLOCK);
            f.reclaim(f.model.gate + RingGeometry.BLOCK);
        }
        TestFlush batch = f.batch();
        for (int i = 0; i < RingGeometry.BLOCK; i++) {
            batch.publish(queue, new byte[size.of(i)]);
        }
        batch.flush();
    }

    // ---- what the file says

    private long pages() throws SQLException {
        return number("SELECT count(*) FROM dbstat WHERE name = 'slot'");
    }

    private long grown() throws SQLException {
        return number("SELECT coalesce(sum(grown), 0) FROM growth");
    }

    private long number(String query) throws SQLException {
        try (Connection connection = database.connect();
                ResultSet row = connection.createStatement().executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}

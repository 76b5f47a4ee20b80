package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the views for operators show what the store holds, while the store is open and at work. */
class SqliteViewsTest {
    private static final int MESSAGES = 1536;

    private SqliteTestDatabase database;
    private RingStore store;

    /**
     * Fills a topic with two subscriptions. Of the first 1,024 messages, in the backlog, one owes 4; the other has
     * settled them all.
     */
    @BeforeEach
    void fill() throws Exception {
        database = new SqliteTestDatabase();
        store = database.open();
        RingGeometry geometry = new RingGeometry(RingGeometry.CAPACITY_STEP);
        long epoch = ((Ownership.Owned) store.acquire("node", "host 1", Duration.ofSeconds(30), geometry)).epoch();
        store.alter(
                epoch,
                List.of(
                        new CatalogChange.CreateAddress(0, "orders", AddressKind.TOPIC, 1000, 1000),
                        new CatalogChange.Subscribe(
                                new SubscriptionRow(1, 0, "c", "slow", 0, 0, 0, -1, null, false, false)),
                        new CatalogChange.Subscribe(
                                new SubscriptionRow(2, 0, "c", "fast", 0, 62, 0, -1, null, false, false))));
        List<StoredMessage> claims = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            claims.add(new StoredMessage(i, 0, 1_760_000_000_000L + i, 4, 0, 0, 0, 1L | 1L << 62, new byte[10], 0, 10));
        }
        byte[] none = new byte[RingGeometry.BLOCK_BYTES];
        byte[] allButFour = new byte[RingGeometry.BLOCK_BYTES];
        byte[] all = new byte[RingGeometry.BLOCK_BYTES];
        for (int i = 0; i < RingGeometry.BLOCK; i++) {
            all[i / 8] |= (byte) (1 << i % 8);
            if (i != 0 && i != 13 && i != 500 && i != 1023) {
                allButFour[i / 8] |= (byte) (1 << i % 8);
            }
        }
        byte[] oddOnes = none.clone();
        for (int i = 1; i < 512; i += 2) {
            oddOnes[i / 8] |= (byte) (1 << i % 8);
        }
        store.flush(new Flush(
                epoch,
                0,
                claims,
                List.of(
                        new Flush.Settlement(0, 0, allButFour),
                        new Flush.Settlement(0, 62, all),
                        new Flush.Settlement(1, 62, oddOnes)),
                List.of(),
                List.of(new Flush.Redelivery(13, 1, 3, 0)),
                List.of(),
                Flush.UNCHANGED));
        store.reclaim(epoch, 0, 1024, 4);
    }

    @AfterEach
    void remove() throws Exception {
        store.close();
        database.close();
    }

    @Test
    void owedNamesEveryMessageThatEverySubscriptionOwes() throws Exception {
        assertThat(ask("SELECT place, sequence FROM owed WHERE subscription = 'slow' AND place = 'backlog'"))
                .containsExactly("backlog|0", "backlog|13", "backlog|500", "backlog|1023");
        assertThat(ask("SELECT subscription, place, count(*) FROM owed GROUP BY 1, 2 ORDER BY 1, 2"))
                .containsExactly("fast|ring|256", "slow|backlog|4", "slow|ring|512");
        assertThat(ask("SELECT count(*) FROM owed WHERE subscription = 'fast' AND sequence % 2 = 1"))
                .containsExactly("0");
    }

    @Test
    void messagesCountsReferencesAsTheyAreNow() throws Exception {
        assertThat(ask("SELECT place, references_at_publish, reference_count, count(*) FROM messages GROUP BY 1, 2, 3"))
                .containsExactlyInAnyOrder("backlog|1|1|4", "ring|2|1|256", "ring|2|2|256");
        assertThat(ask("SELECT address, published, slot FROM messages WHERE sequence = 1024"))
                .containsExactly("orders|2025-10-09 08:53:21|1024");
    }

    @Test
    void addressesAndSubscriptionsSayWhatThereIsAndWhoReadsIt() throws Exception {
        assertThat(ask("SELECT address, kind, subscriptions, backlog_messages, backlog_bytes FROM addresses"))
                .containsExactly("orders|topic|2|4|40");
        assertThat(ask("SELECT address, kind, client_id, subscription, bit FROM subscriptions"
                        + " ORDER BY subscription_id"))
                .containsExactly("orders|topic|c|slow|0", "orders|topic|c|fast|62");
    }

    private List<String> ask(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            while (answer.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= answer.getMetaData().getColumnCount(); i++) {
                    row.append(i == 1 ? "" : "|").append(answer.getString(i));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}

package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.sqlserver.TinyTdsServer.Request;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the requests that the real driver makes of our calls, on a server that only nods: their number and their
 * content.
 */
class SqlserverWireTest {
    private static final byte[] NONE = new byte[RingGeometry.BLOCK_BYTES];

    private TinyTdsServer server;
    private Connection connection;
    private SqlserverWriter writer;

    @BeforeEach
    void connect() throws Exception {
        server = new TinyTdsServer();
        SqlserverDialect dialect = new SqlserverDialect(TestSettings.of(
                        "ringtable.store.url",
                        server.url(),
                        "ringtable.store.username",
                        "user",
                        "ringtable.store.password",
                        "secret",
                        "ringtable.store.connect-timeout",
                        "1m") // the driver's code is cold, and the machine may be busy
                .store(Path.of("unused"))
                .properties());
        connection = dialect.writerDataSource().getConnection();
        writer = new SqlserverWriter(new SqlserverSession(connection, dialect.statements(), 0));
        server.requests().clear(); // what the driver sets up
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        server.close();
    }

    @Test
    void aFlushIsOneRequestAndPreparedOnce() throws Exception {
        writer.flush(batch(1, "first"));
        writer.flush(batch(7, "second"));
        writer.flush(batch(SqlserverDialect.FLUSH_MESSAGES_MAX, "third"));
        assertThat(server.requests())
                .extracting(Request::procedure)
                .containsExactly(TinyTdsServer.PREPARE_AND_EXECUTE, TinyTdsServer.EXECUTE, TinyTdsServer.EXECUTE);
        assertThat(server.requests().get(0).text())
                .contains("EXECUTE ringtable.flush\n    @shard_id = @P0, @epoch = @P1,")
                .contains("[ringtable].[message_list] READONLY")
                .contains("[ringtable].[dispatched_list] READONLY");
    }

    @Test
    void everyBodyOfABatchIsInItsRequest() throws Exception {
        writer.flush(batch(3, "body "));
        assertThat(server.requests().get(0).text())
                .contains("body 0")
                .contains("body 1")
                .contains("body 2");
        writer.flush(batch(SqlserverDialect.FLUSH_MESSAGES_MAX, "again "));
        assertThat(server.requests().get(1).text())
                .contains("again 0")
                .contains("again " + (SqlserverDialect.FLUSH_MESSAGES_MAX - 1));
    }

    @Test
    void aFlushWithNothingInItGoesToo() throws Exception {
        writer.flush(new Flush(1, 0, List.of(), List.of(), List.of(), List.of(), List.of(), 17));
        assertThat(server.requests()).hasSize(1);
    }

    /** Text of up to 4,000 characters and longer text are two types to the driver. */
    @Test
    void aFlushWithRowsOfTheInboxIsPreparedOnceHoweverManyThereAre() throws Exception {
        for (int rows : new int[] {1, 2000, 3}) {
            List<Long> ids = LongStream.range(0, rows)
                    .mapToObj(i -> Long.MAX_VALUE - 1_000_000 + i)
                    .toList();
            writer.flush(new Flush(1, 0, List.of(), List.of(), List.of(), List.of(), List.of(), Flush.UNCHANGED, ids));
            assertThat(server.requests().get(server.requests().size() - 1).text())
                    .contains((Long.MAX_VALUE - 1_000_000 + rows - 1) + "]");
        }
        assertThat(server.requests())
                .extracting(Request::procedure)
                .containsExactly(TinyTdsServer.PREPARE_AND_EXECUTE, TinyTdsServer.EXECUTE, TinyTdsServer.EXECUTE);
        assertThat(server.requests().get(0).text()).contains("nvarchar(max)");
    }

    @Test
    void changesOfTheCatalogueAreOneRequest() throws Exception {
        writer.alter(
                1,
                List.of(
                        new CatalogChange.CreateAddress(1, "orders", AddressKind.TOPIC, 1, 1),
                        new CatalogChange.Subscribe(new SubscriptionRow(
                                2, 1, "c", "n", 0, 3, 0, -1, "colour = '" + "x".repeat(9000) + "'", false, true)),
                        new CatalogChange.Purge(2, 9),
                        new CatalogChange.Unsubscribe(2),
                        new CatalogChange.DeleteAddress(1)));
        assertThat(server.requests()).hasSize(1);
        assertThat(server.requests().get(0).text())
                .contains("EXECUTE ringtable.alter_catalog @shard_id = @P0, @epoch = @P1, @changes = @P2")
                .contains("create address", "subscribe", "purge", "unsubscribe", "delete address", "x".repeat(9000));
    }

    private static Flush batch(int messages, String body) {
        List<StoredMessage> claims = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            byte[] bytes = (body + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            claims.add(new StoredMessage(
                    i, 0, 1_760_000_000_000L, 4, Long.MAX_VALUE, 0, 0, 1L | 1L << 62, bytes, 0, bytes.length));
        }
        claims.set(0, messages == 1 ? staged() : claims.get(0));
        return new Flush(
                1,
                0,
                claims,
                List.of(new Flush.Settlement(0, 0, NONE), new Flush.Settlement(0, 62, NONE)),
                List.of(new Flush.BacklogSettlement(5, 0, 3, NONE)),
                List.of(new Flush.Redelivery(1, 2, 0, 0), new Flush.Redelivery(1, 3, 2, 99)),
                List.of(new Flush.DispatchBound(1, Flush.DispatchBound.FOLLOWS), new Flush.DispatchBound(2, 7)),
                Flush.UNCHANGED);
    }

    private static StoredMessage staged() {
        return new StoredMessage(0, 0, 1, 4, 0, 0, 0, 1, null, 77, 5000);
    }
}

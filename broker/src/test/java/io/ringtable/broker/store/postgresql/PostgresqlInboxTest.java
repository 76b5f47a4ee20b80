package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.catalog.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Publishing in the caller's own transaction: what is committed is read and claimed once, by its owner alone. */
class PostgresqlInboxTest {
    private static final int MANY = 1_000;
    private static final long BYTES = 1 << 20;

    private PostgresqlTestDatabase database;
    private OneTopic ring;
    private Connection caller;

    @BeforeEach
    void lay() throws SQLException {
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
        caller = database.connect();
        caller.setAutoCommit(false);
    }

    @AfterEach
    void remove() throws SQLException {
        if (database != null) {
            caller.close();
            ring.close();
            database.close();
        }
    }

    @Test
    void aMessageIsThereOnceItsTransactionHasCommitted() throws SQLException {
        publish(caller, "topic://orders", "one");
        assertThat(read()).isEmpty();
        caller.commit();
        InboxMessage message = read().get(0);
        assertThat(message.address()).isEqualTo("orders");
        assertThat(message.kind()).isEqualTo(AddressKind.TOPIC);
        assertThat(message.text()).isTrue();
        assertThat(text(message)).isEqualTo("one");
        assertThat(message.properties()).isEqualTo("{}");
        assertThat(message.ageMs()).isBetween(0L, 60_000L);
    }

    @Test
    void aMessageOfATransactionThatRollsBackNeverWas() throws SQLException {
        publish(caller, "orders", "one");
        caller.rollback();
        publish(caller, "orders", "two");
        caller.commit();
        assertThat(read()).extracting(PostgresqlInboxTest::text).containsExactly("two");
    }

    @Test
    void aLowerIdThatCommitsLaterIsReadLater() throws SQLException {
        publish(caller, "orders", "low");
        try (Connection other = database.connect()) {
            publish(other, "orders", "high");
        }
        List<InboxMessage> first = read();
        assertThat(first).extracting(PostgresqlInboxTest::text).containsExactly("high");
        collect(first);
        caller.commit();
        List<InboxMessage> second = read();
        assertThat(second).extracting(PostgresqlInboxTest::text).containsExactly("low");
        assertThat(second.get(0).id()).isLessThan(first.get(0).id());
        collect(second);
        assertThat(read()).isEmpty();
        assertThat(ring.recover().next()).isEqualTo(2);
    }

    @Test
    void readsTheLowestFirstWithinItsBounds() throws SQLException {
        for (int i = 0; i < 10; i++) {
            publish(caller, i % 2 == 0 ? "even" : "odd", "0123456789 " + i);
        }
        caller.commit();
        assertThat(texts(List.of(), 3, BYTES)).containsExactly("0123456789 0", "0123456789 1", "0123456789 2");
        assertThat(texts(List.of(), MANY, 30)).containsExactly("0123456789 0", "0123456789 1");
        assertThat(texts(List.of(), MANY, 1)).containsExactly("0123456789 0");
        assertThat(texts(List.of("even"), 2, BYTES)).containsExactly("0123456789 1", "0123456789 3");
        assertThat(texts(List.of("even", "odd"), 2, BYTES)).isEmpty();
    }

    @Test
    void aFlushDeletesTheRowsThatItClaimsAndNoOthers() throws SQLException {
        publish(caller, "orders", "one");
        publish(caller, "orders", "two");
        publish(caller, "orders", "three");
        caller.commit();
        collect(read().subList(0, 2));
        assertThat(read()).extracting(PostgresqlInboxTest::text).containsExactly("three");
        assertThat(ring.recover().next()).isEqualTo(2);
    }

    @Test
    void aRowThatIsGoneMakesTheFlushCorruptAndNothingIsChanged() throws SQLException {
        publish(caller, "orders", "one");
        caller.commit();
        List<InboxMessage> rows = read();
        Flush twice = flush(1, List.of(rows.get(0).id(), rows.get(0).id() + 1_000));
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> ring.store.flush(twice));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.CORRUPT);
        assertThat(failure).hasMessageContaining("inbox: 1 rows deleted where 2 must");
        assertThat(read()).hasSize(1);
        assertThat(ring.recover().next()).isZero();
        collect(rows);
        assertThat(catchThrowableOfType(StoreFailure.class, () -> collect(rows)).kind())
                .isEqualTo(StoreFailure.Kind.CORRUPT);
        assertThat(ring.recover().next()).isEqualTo(1);
    }

    @Test
    void rowsThatNobodyOwesMayBeDeletedTwice() throws SQLException {
        publish(caller, "nobody", "one");
        caller.commit();
        Flush unowed = flush(0, List.of(read().get(0).id()));
        ring.store.flush(unowed);
        ring.store.flush(unowed); // as after an outcome that nobody knew
        assertThat(read()).isEmpty();
    }

    @Test
    void aFormerOwnerClaimsAndDeletesNothing() throws SQLException {
        publish(caller, "orders", "one");
        caller.commit();
        Flush late = flush(1, List.of(read().get(0).id()));
        ring.own();
        assertThat(catchThrowableOfType(StoreFailure.class, () -> ring.store.flush(late))
                        .kind())
                .isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(read()).hasSize(1);
        assertThat(ring.recover().next()).isZero();
    }

    @Test
    void takesBytesAndProperties() throws SQLException {
        try (PreparedStatement call = caller.prepareStatement("SELECT ringtable.publish(?, ?, ?::jsonb)")) {
            call.setString(1, "orders");
            call.setBytes(2, new byte[] {0, 1, (byte) 0xff});
            call.setString(3, "{\"country\": \"PT\", \"priority\": 7}");
            call.execute();
        }
        caller.commit();
        InboxMessage message = read().get(0);
        assertThat(message.kind()).isNull();
        assertThat(message.text()).isFalse();
        assertThat(message.body()).containsExactly(0, 1, 0xff);
        assertThat(message.properties()).contains("\"country\": \"PT\"", "\"priority\": 7");
    }

    @Test
    void anApplicationNeedsExecuteOnTheFunctionAndNoMore() throws SQLException {
        String role = "app_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        String publish = "SELECT ringtable.publish('orders', 'from an application')";
        try (Statement statement = caller.createStatement()) {
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            assertThatThrownBy(() -> as(role, publish)).hasMessageContaining("permission denied for function publish");
            caller.rollback(); // the role as well
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            statement.execute("GRANT EXECUTE ON FUNCTION ringtable.publish(text, text, jsonb) TO " + role);
            as(role, publish);
            assertThatThrownBy(() -> as(role, "SELECT count(*) FROM ringtable.inbox"))
                    .hasMessageContaining("permission denied for table inbox");
        }
        caller.rollback();
    }

    private void as(String role, String sql) throws SQLException {
        try (Statement statement = caller.createStatement()) {
            statement.execute("SET LOCAL ROLE " + role);
            statement.execute(sql);
            statement.execute("RESET ROLE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "''                  | 'x'  | {}                        | RT-3050",
                "'queue://'          | 'x'  | {}                        | RT-3050",
                "NULL                | 'x'  | {}                        | RT-3050",
                "E'a\\tb'            | 'x'  | {}                        | RT-3050",
                "repeat('a', 401)    | 'x'  | {}                        | RT-3050",
                "'a'                 | NULL | {}                        | RT-3051",
                "'a'                 | repeat('x', 16777217) | {}       | RT-3051",
                "'a'                 | 'x'  | []                        | RT-3052",
                "'a'                 | 'x'  | {\"a\": {\"b\": 1}}       | RT-3053",
                "'a'                 | 'x'  | {\"a\": [1]}              | RT-3053",
                "'a'                 | 'x'  | {\"a\": 1e40}             | RT-3053",
                "'a'                 | 'x'  | {\"priority\": 10}        | RT-3053",
                "'a'                 | 'x'  | {\"priority\": \"high\"}  | RT-3053",
                "'a'                 | 'x'  | {\"ttl\": 0}              | RT-3053",
                "'a'                 | 'x'  | {\"durable\": false}      | RT-3053",
                "'a'                 | 'x'  | {\"message-id\": 1}       | RT-3053",
            })
    void refusesWhatMakesNoMessageAndSaysWhy(String address, String body, String properties, String code) {
        assertThatThrownBy(() -> {
                    try (Statement statement = caller.createStatement()) {
                        statement.execute("SELECT ringtable.publish(" + address + ", " + body + "::text, '" + properties
                                + "'::jsonb)");
                    }
                })
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("22023"))
                .hasMessageContaining(code);
    }

    private static void publish(Connection connection, String address, String text) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?)")) {
            call.setString(1, address);
            call.setString(2, text);
            call.execute();
        }
    }

    private List<InboxMessage> read() {
        return ring.store.readInbox(List.of(), MANY, BYTES);
    }

    private List<String> texts(List<String> leftOut, int messages, long bytes) {
        return ring.store.readInbox(leftOut, messages, bytes).stream()
                .map(PostgresqlInboxTest::text)
                .toList();
    }

    private static String text(InboxMessage message) {
        return new String(message.body(), StandardCharsets.UTF_8);
    }

    private void collect(List<InboxMessage> rows) {
        ring.store.flush(flush(rows.size(), rows.stream().map(InboxMessage::id).toList()));
        ring.next += rows.size();
    }

    private Flush flush(int claims, List<Long> ids) {
        Flush batch = ring.batch(claims);
        return new Flush(
                batch.epoch(),
                batch.gate(),
                batch.claims(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                ids);
    }
}

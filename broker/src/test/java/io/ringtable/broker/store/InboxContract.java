package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.store.jdbc.RingStores;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Publishes in the caller's own transaction, on the engines that others can connect to. The owner alone reads and
 * claims each committed message, once, and in the order of its caller. An engine says how its callers publish.
 * <p>Longer than others, because passing on to another shard is asked of the same callers, in the same ways.
 */
@Timeout(120)
public abstract class InboxContract {
    private static final int MANY = 1_000;
    private static final long BYTES = 1 << 20;
    private static final int BODY_MAX = 1 << 24;
    private static final int NEIGHBOUR = 3; // number of a second shard

    private TestDatabase database;
    private OneTopic ring;
    private Connection caller;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    /** @param properties a JSON object; null = the caller gives none */
    protected abstract void publish(Connection connection, String address, String text, String properties)
            throws SQLException;

    protected abstract void publishBytes(Connection connection, String address, byte[] body, String properties)
            throws SQLException;

    /** Returns the user of the database that the connection logged in as. */
    protected abstract String user(Connection connection) throws SQLException;

    /** Whether the error says that the caller's parameters are wrong. */
    protected abstract boolean isRefusal(SQLException failure);

    @BeforeEach
    void lay() throws Exception {
        try {
            database = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
        caller = database.connect();
        caller.setAutoCommit(false);
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            caller.close();
            ring.close();
            database.close();
        }
    }

    /** In a transaction; what it changes is rolled back. */
    protected final Connection caller() {
        return caller;
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
        assertThat(message.publishedBy()).isEqualTo(user(caller)).isNotBlank();
    }

    @Test
    void aMessageOfATransactionThatRollsBackNeverWas() throws SQLException {
        publish(caller, "orders", "one");
        caller.rollback();
        publish(caller, "orders", "two");
        caller.commit();
        assertThat(read()).extracting(InboxContract::text).containsExactly("two");
    }

    @Test
    void aLowerIdThatCommitsLaterIsReadLaterAndNoFlushWaitsForIt() throws SQLException {
        try (Connection other = database.connect()) {
            publish(other, "orders", "lowest");
            publish(caller, "orders", "low");
            publish(other, "orders", "high");
        }
        List<InboxMessage> first = read();
        assertThat(first).extracting(InboxContract::text).containsExactly("lowest", "high");
        collect(first); // on both sides of the open one, whose lock would end in a time-out
        caller.commit();
        List<InboxMessage> second = read();
        assertThat(second).extracting(InboxContract::text).containsExactly("low");
        assertThat(second.get(0).id()).isBetween(first.get(0).id(), first.get(1).id());
        collect(second);
        assertThat(read()).isEmpty();
        assertThat(ring.recover().next()).isEqualTo(3);
    }

    @Test
    void readsTheLowestFirstWithinItsBounds() throws SQLException {
        for (int i = 0; i < 10; i++) {
            publish(caller, i % 2 == 0 ? "even" : "odd", "0123456789 " + i);
        }
        caller.commit();
        assertThat(texts(List.of(), 3, BYTES)).containsExactly("0123456789 0", "0123456789 1", "0123456789 2");
        assertThat(texts(List.of(), MANY, 1)).containsExactly("0123456789 0");
        assertThat(texts(List.of("even"), 2, BYTES)).containsExactly("0123456789 1", "0123456789 3");
        assertThat(texts(List.of("even", "odd"), 2, BYTES)).isEmpty();
    }

    @Test
    void stopsBeforeTheRowThatPassesTheBytes() throws SQLException {
        for (int i = 0; i < 5; i++) {
            publishBytes(caller, "orders", new byte[1_000], null);
        }
        caller.commit();
        assertThat(ring.store.readInbox(List.of(), MANY, 999)).hasSize(1);
        assertThat(ring.store.readInbox(List.of(), MANY, 2_000)).hasSize(2);
        assertThat(ring.store.readInbox(List.of(), MANY, 2_999)).hasSize(2);
    }

    @Test
    void aFlushDeletesTheRowsThatItClaimsAndNoOthers() throws SQLException {
        publish(caller, "orders", "one");
        publish(caller, "orders", "two");
        publish(caller, "orders", "three");
        caller.commit();
        collect(read().subList(0, 2));
        assertThat(read()).extracting(InboxContract::text).containsExactly("three");
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
        publishBytes(caller, "orders", new byte[] {0, 1, (byte) 0xff}, "{\"country\": \"PT\", \"priority\": 7}");
        publish(caller, "orders", "um café \uD83D\uDE80", "{\"on\": true, \"at\": null, \"x\": -1.5e3}");
        caller.commit();
        List<InboxMessage> messages = read();
        InboxMessage bytes = messages.get(0);
        assertThat(bytes.kind()).isNull();
        assertThat(bytes.text()).isFalse();
        assertThat(bytes.body()).containsExactly(0, 1, 0xff);
        assertThat(bytes.properties()).contains("\"country\": \"PT\"", "\"priority\": 7");
        assertThat(text(messages.get(1))).isEqualTo("um café \uD83D\uDE80");
    }

    @Test
    void takesTheLargestBodyAndTheEmptyOne() throws SQLException {
        byte[] largest = new byte[BODY_MAX];
        largest[BODY_MAX - 1] = 7;
        publishBytes(caller, "orders", largest, null);
        publish(caller, "orders", "");
        caller.commit();
        List<InboxMessage> messages = messages(ring.store.readInbox(List.of(), MANY, 2L * BODY_MAX));
        assertThat(messages.get(0).body()).isEqualTo(largest);
        assertThat(messages.get(1).text()).isTrue();
        assertThat(messages.get(1).body()).isEmpty();
    }

    /**
     * Publishes by several callers, each over several connections in turn, in transactions of one to three messages.
     * Each look at a caller begins where the last look ended.
     */
    @Test
    void everyLookTakesUpEveryCallerWhereTheLastOneEnded() throws Exception {
        int callers = 4;
        int transactions = 60;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        AtomicInteger busy = new AtomicInteger(callers);
        try {
            List<Future<Integer>> published = new ArrayList<>();
            for (int c = 0; c < callers; c++) {
                published.add(threads.submit(publishing("caller " + c, c, transactions, busy)));
            }
            Map<String, Integer> seen = takenUp(ring, busy);
            for (int c = 0; c < callers; c++) {
                assertThat(seen.get("caller " + c)).isEqualTo(published.get(c).get(60, TimeUnit.SECONDS));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whatIsPassedOnIsCollectedByTheOtherShardAlone() throws SQLException {
        for (String text : List.of("one", "two", "three")) {
            publish(caller, "orders", text, "{\"n\": 1}");
        }
        caller.commit();
        List<InboxMessage> before = read();
        try (OneTopic neighbour = neighbour()) {
            passOn(before.subList(0, 2));
            assertThat(read()).extracting(InboxContract::text).containsExactly("three");
            List<InboxMessage> there = read(neighbour);
            assertThat(there).extracting(InboxContract::text).containsExactly("one", "two");
            assertThat(there)
                    .extracting(InboxMessage::id)
                    .containsExactly(before.get(0).id(), before.get(1).id());
            assertThat(there.get(0).address()).isEqualTo("orders");
            assertThat(there.get(0).properties()).isEqualTo(before.get(0).properties());
            collect(neighbour, there);
            assertThat(read(neighbour)).isEmpty();
            assertThat(read()).hasSize(1);
            assertThat(neighbour.recover().next()).isEqualTo(2);
            assertThat(ring.recover().next()).isZero();
        }
    }

    @Test
    void passesOnBesideAnOpenTransactionAndALaterLookFindsThatOne() throws SQLException {
        try (Connection other = database.connect();
                OneTopic neighbour = neighbour()) {
            publish(other, "orders", "lowest");
            publish(caller, "orders", "low");
            publish(other, "orders", "high");
            passOn(read());
            assertThat(read(neighbour)).extracting(InboxContract::text).containsExactly("lowest", "high");
            caller.commit();
            passOn(read());
            assertThat(read(neighbour)).extracting(InboxContract::text).containsExactly("lowest", "low", "high");
        }
    }

    @Test
    void ofSeveralRowsAllArePassedOnOrNone() throws SQLException {
        publish(caller, "orders", "one");
        caller.commit();
        long id = read().get(0).id();
        try (OneTopic neighbour = neighbour()) {
            StoreFailure failure = catchThrowableOfType(
                    StoreFailure.class, () -> ring.store.passOn(ring.epoch, NEIGHBOUR, List.of(id, id + 1_000)));
            assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.CORRUPT);
            assertThat(failure).hasMessageContaining("inbox: 1 rows passed on where 2 must");
            assertThat(read()).hasSize(1);
            assertThat(read(neighbour)).isEmpty();
        }
    }

    @Test
    void aFormerOwnerPassesNothingOn() throws SQLException {
        publish(caller, "orders", "one");
        caller.commit();
        List<Long> ids = List.of(read().get(0).id());
        long former = ring.epoch;
        ring.own();
        StoreFailure failure =
                catchThrowableOfType(StoreFailure.class, () -> ring.store.passOn(former, NEIGHBOUR, ids));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(read()).hasSize(1);
    }

    /** Passes everything on while its callers publish: the neighbour has each caller's messages in order, and once. */
    @Test
    void everyLookOfTheOtherShardTakesUpEveryCallerWhereTheLastOneEnded() throws Exception {
        int callers = 4;
        ExecutorService threads = Executors.newFixedThreadPool(callers + 1);
        AtomicInteger busy = new AtomicInteger(callers);
        AtomicInteger passing = new AtomicInteger(1);
        try (OneTopic neighbour = neighbour()) {
            List<Future<Integer>> published = new ArrayList<>();
            for (int c = 0; c < callers; c++) {
                published.add(threads.submit(publishing("caller " + c, c, 60, busy)));
            }
            Future<?> passer = threads.submit(() -> {
                try {
                    passOnWhile(busy);
                } finally {
                    passing.set(0);
                }
            });
            Map<String, Integer> seen = takenUp(neighbour, passing);
            passer.get(60, TimeUnit.SECONDS);
            for (int c = 0; c < callers; c++) {
                assertThat(seen.get("caller " + c)).isEqualTo(published.get(c).get(1, TimeUnit.MINUTES));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void passOnWhile(AtomicInteger busy) {
        boolean last = false;
        while (!last) {
            last = busy.get() == 0;
            for (List<InboxMessage> rows = read(); !rows.isEmpty(); rows = read()) {
                passOn(rows);
            }
        }
    }

    /** Collects until nobody publishes any more. @return how many messages came from each caller */
    private static Map<String, Integer> takenUp(OneTopic from, AtomicInteger busy) {
        Map<String, Integer> seen = new HashMap<>();
        boolean last = false;
        while (!last) {
            last = busy.get() == 0; // what comes after this was published before
            for (List<InboxMessage> rows = read(from); !rows.isEmpty(); rows = read(from)) {
                for (InboxMessage row : rows) {
                    String[] parts = text(row).split(": ");
                    int number = Integer.parseInt(parts[1]);
                    assertThat(seen.getOrDefault(parts[0], 0)).as(text(row)).isEqualTo(number);
                    seen.put(parts[0], number + 1);
                }
                collect(from, rows);
            }
        }
        return seen;
    }

    private Callable<Integer> publishing(String name, int seed, int transactions, AtomicInteger busy) {
        return () -> {
            int number = 0;
            try (Connection one = database.connect();
                    Connection two = database.connect()) {
                for (int t = 0; t < transactions; t++) {
                    Connection connection = t % 2 == 0 ? one : two;
                    connection.setAutoCommit(false);
                    int messages = 1 + (seed + t) % 3;
                    for (int m = 0; m < messages; m++) {
                        publish(connection, "orders", name + ": " + (number + m));
                    }
                    if ((seed + t) % 7 == 0) {
                        connection.rollback();
                    } else {
                        connection.commit();
                        number += messages;
                    }
                }
                return number;
            } finally {
                busy.decrementAndGet();
            }
        };
    }

    static Stream<Arguments> wrong() {
        String ofLength401 = "a".repeat(401);
        return Stream.of(
                Arguments.of("", "x", "{}", "RT-3050"),
                Arguments.of("queue://", "x", "{}", "RT-3050"),
                Arguments.of(null, "x", "{}", "RT-3050"),
                Arguments.of("a\tb", "x", "{}", "RT-3050"),
                Arguments.of("a\u0085b", "x", "{}", "RT-3050"),
                Arguments.of(ofLength401, "x", "{}", "RT-3050"),
                Arguments.of("topic://" + ofLength401, "x", "{}", "RT-3050"),
                Arguments.of("a", null, "{}", "RT-3051"),
                Arguments.of("a", "x".repeat(BODY_MAX + 1), "{}", "RT-3051"),
                Arguments.of("a", "x", "[]", "RT-3052"),
                Arguments.of("a", "x", "{\"a\": \"" + "x".repeat(65_536) + "\"}", "RT-3052"),
                Arguments.of("a", "x", "{\"a\": {\"b\": 1}}", "RT-3053"),
                Arguments.of("a", "x", "{\"a\": [1]}", "RT-3053"),
                Arguments.of("a", "x", "{\"a\": 1e400}", "RT-3053"),
                Arguments.of("a", "x", "{\"a\": 9223372036854775808}", "RT-3053"),
                Arguments.of("a", "x", "{\"priority\": 10}", "RT-3053"),
                Arguments.of("a", "x", "{\"priority\": \"high\"}", "RT-3053"),
                Arguments.of("a", "x", "{\"ttl\": 0}", "RT-3053"),
                Arguments.of("a", "x", "{\"ttl\": 4294967296}", "RT-3053"),
                Arguments.of("a", "x", "{\"durable\": false}", "RT-3053"),
                Arguments.of("a", "x", "{\"message-id\": 1}", "RT-3053"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void refusesWhatMakesNoMessageAndSaysWhy(String address, String body, String properties, String code) {
        assertThatThrownBy(() -> publish(caller, address, body, properties))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(isRefusal(refused)).isTrue())
                .hasMessageContaining(code);
    }

    @Test
    void takesWhatIsJustWithinTheRules() throws SQLException {
        List<String> addresses = List.of("a".repeat(400), "queue://" + "b".repeat(400), " ", "q://ueue");
        for (String address : addresses) {
            publish(
                    caller,
                    address,
                    "x",
                    "{\"priority\": 0, \"ttl\": 4294967295, \"durable\": true, \"n\": 9223372036854775807}");
        }
        caller.commit();
        assertThat(read())
                .extracting(InboxMessage::address)
                .containsExactly("a".repeat(400), "b".repeat(400), " ", "q://ueue");
    }

    @Test
    void aListOfManyFullAddressesIsTaken() throws SQLException {
        publish(caller, "orders", "one");
        caller.commit();
        List<String> full = IntStream.range(0, 3_000).mapToObj(i -> "full " + i).toList();
        assertThat(texts(full, MANY, BYTES)).containsExactly("one");
    }

    private void publish(Connection connection, String address, String text) throws SQLException {
        publish(connection, address, text, null);
    }

    /** Another shard of the database. */
    private OneTopic neighbour() throws SQLException {
        return OneTopic.laid(RingStores.open(database.settings().ofShard(NEIGHBOUR)), NEIGHBOUR);
    }

    private void passOn(List<InboxMessage> rows) {
        ring.store.passOn(
                ring.epoch, NEIGHBOUR, rows.stream().map(InboxMessage::id).toList());
    }

    private List<InboxMessage> read() {
        return read(ring);
    }

    private static List<InboxMessage> read(OneTopic from) {
        return messages(from.store.readInbox(List.of(), MANY, BYTES));
    }

    private List<String> texts(List<String> leftOut, int messages, long bytes) {
        return messages(ring.store.readInbox(leftOut, messages, bytes)).stream()
                .map(InboxContract::text)
                .toList();
    }

    private static List<InboxMessage> messages(List<InboxRow> rows) {
        return rows.stream().map(InboxMessage.class::cast).toList();
    }

    private static String text(InboxMessage message) {
        return new String(message.body(), StandardCharsets.UTF_8);
    }

    private void collect(List<InboxMessage> rows) {
        collect(ring, rows);
    }

    private static void collect(OneTopic into, List<InboxMessage> rows) {
        into.store.flush(
                flush(into, rows.size(), rows.stream().map(InboxMessage::id).toList()));
        into.next += rows.size();
    }

    private Flush flush(int claims, List<Long> ids) {
        return flush(ring, claims, ids);
    }

    private static Flush flush(OneTopic into, int claims, List<Long> ids) {
        Flush batch = into.batch(claims);
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

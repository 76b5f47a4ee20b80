package io.ringtable.broker.store;

import static io.ringtable.broker.store.InboxFixture.BYTES_MAX;
import static io.ringtable.broker.store.InboxFixture.ROWS_MAX;
import static io.ringtable.broker.store.InboxFixture.collect;
import static io.ringtable.broker.store.InboxFixture.flush;
import static io.ringtable.broker.store.InboxFixture.messages;
import static io.ringtable.broker.store.InboxFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
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
 * claims each committed message, once, and in the order of its caller.
 */
@Timeout(120)
public abstract class InboxContract {
    private static final int BODY_MAX = 1 << 24;

    private InboxFixture inbox;

    /** A fresh, empty database. */
    protected abstract TestDatabase database() throws Exception;

    protected abstract InboxCalls calls();

    @BeforeEach
    void lay() throws Exception {
        try {
            inbox = new InboxFixture(database(), calls());
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void remove() throws Exception {
        if (inbox != null) {
            inbox.close();
        }
    }

    /** In a transaction; what it changes is rolled back. */
    protected final Connection caller() {
        return inbox.caller;
    }

    @Test
    void aMessageIsThereOnceItsTransactionHasCommitted() throws SQLException {
        inbox.publish("topic://orders", "one");
        assertThat(inbox.read()).isEmpty();
        inbox.caller.commit();
        InboxMessage message = inbox.read().get(0);
        assertThat(message.address()).isEqualTo("orders");
        assertThat(message.kind()).isEqualTo(AddressKind.TOPIC);
        assertThat(message.text()).isTrue();
        assertThat(text(message)).isEqualTo("one");
        assertThat(message.properties()).isEqualTo("{}");
        assertThat(message.ageMs()).isBetween(0L, 60_000L);
        assertThat(message.publishedBy())
                .isEqualTo(inbox.calls.user(inbox.caller))
                .isNotBlank();
    }

    @Test
    void aMessageOfATransactionThatRollsBackNeverWas() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.rollback();
        inbox.publish("orders", "two");
        inbox.caller.commit();
        assertThat(inbox.read()).extracting(InboxFixture::text).containsExactly("two");
    }

    @Test
    void aLowerIdThatCommitsLaterIsReadLaterAndNoFlushWaitsForIt() throws SQLException {
        try (Connection other = inbox.database.connect()) {
            inbox.publish(other, "orders", "lowest");
            inbox.publish("orders", "low");
            inbox.publish(other, "orders", "high");
        }
        List<InboxMessage> first = inbox.read();
        assertThat(first).extracting(InboxFixture::text).containsExactly("lowest", "high");
        collect(inbox.ring, first); // on both sides of the open one, whose lock would end in a time-out
        inbox.caller.commit();
        List<InboxMessage> second = inbox.read();
        assertThat(second).extracting(InboxFixture::text).containsExactly("low");
        assertThat(second.get(0).id()).isBetween(first.get(0).id(), first.get(1).id());
        collect(inbox.ring, second);
        assertThat(inbox.read()).isEmpty();
        assertThat(inbox.ring.recover().next()).isEqualTo(3);
    }

    @Test
    void readsTheLowestFirstWithinItsBounds() throws SQLException {
        for (int i = 0; i < 10; i++) {
            inbox.publish(i % 2 == 0 ? "even" : "odd", "0123456789 " + i);
        }
        inbox.caller.commit();
        assertThat(texts(List.of(), 3, BYTES_MAX)).containsExactly("0123456789 0", "0123456789 1", "0123456789 2");
        assertThat(texts(List.of(), ROWS_MAX, 1)).containsExactly("0123456789 0");
        assertThat(texts(List.of("even"), 2, BYTES_MAX)).containsExactly("0123456789 1", "0123456789 3");
        assertThat(texts(List.of("even", "odd"), 2, BYTES_MAX)).isEmpty();
    }

    @Test
    void stopsBeforeTheRowThatPassesTheBytes() throws SQLException {
        for (int i = 0; i < 5; i++) {
            inbox.calls.publishBytes(inbox.caller, "orders", new byte[1_000], null);
        }
        inbox.caller.commit();
        assertThat(inbox.ring.store.readInbox(List.of(), ROWS_MAX, 999)).hasSize(1);
        assertThat(inbox.ring.store.readInbox(List.of(), ROWS_MAX, 2_000)).hasSize(2);
        assertThat(inbox.ring.store.readInbox(List.of(), ROWS_MAX, 2_999)).hasSize(2);
    }

    @Test
    void aFlushDeletesTheRowsThatItClaimsAndNoOthers() throws SQLException {
        inbox.publish("orders", "one");
        inbox.publish("orders", "two");
        inbox.publish("orders", "three");
        inbox.caller.commit();
        collect(inbox.ring, inbox.read().subList(0, 2));
        assertThat(inbox.read()).extracting(InboxFixture::text).containsExactly("three");
        assertThat(inbox.ring.recover().next()).isEqualTo(2);
    }

    @Test
    void aRowThatIsGoneMakesTheFlushCorruptAndNothingIsChanged() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.commit();
        List<InboxMessage> rows = inbox.read();
        Flush twice = flush(inbox.ring, 1, List.of(rows.get(0).id(), rows.get(0).id() + 1_000));
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> inbox.ring.store.flush(twice));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.CORRUPT);
        assertThat(failure).hasMessageContaining("inbox: 1 rows deleted where 2 must");
        assertThat(inbox.read()).hasSize(1);
        assertThat(inbox.ring.recover().next()).isZero();
        collect(inbox.ring, rows);
        assertThat(catchThrowableOfType(StoreFailure.class, () -> collect(inbox.ring, rows))
                        .kind())
                .isEqualTo(StoreFailure.Kind.CORRUPT);
        assertThat(inbox.ring.recover().next()).isEqualTo(1);
    }

    @Test
    void rowsThatNobodyOwesMayBeDeletedTwice() throws SQLException {
        inbox.publish("nobody", "one");
        inbox.caller.commit();
        Flush unowed = flush(inbox.ring, 0, List.of(inbox.read().get(0).id()));
        inbox.ring.store.flush(unowed);
        inbox.ring.store.flush(unowed); // as after an outcome that nobody knew
        assertThat(inbox.read()).isEmpty();
    }

    @Test
    void aFormerOwnerClaimsAndDeletesNothing() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.commit();
        Flush late = flush(inbox.ring, 1, List.of(inbox.read().get(0).id()));
        inbox.ring.own();
        assertThat(catchThrowableOfType(StoreFailure.class, () -> inbox.ring.store.flush(late))
                        .kind())
                .isEqualTo(StoreFailure.Kind.FENCED);
        assertThat(inbox.read()).hasSize(1);
        assertThat(inbox.ring.recover().next()).isZero();
    }

    @Test
    void takesBytesAndProperties() throws SQLException {
        inbox.calls.publishBytes(
                inbox.caller, "orders", new byte[] {0, 1, (byte) 0xff}, "{\"country\": \"PT\", \"priority\": 7}");
        inbox.calls.publish(
                inbox.caller, "orders", "um café \uD83D\uDE80", "{\"on\": true, \"at\": null, \"x\": -1.5e3}");
        inbox.caller.commit();
        List<InboxMessage> messages = inbox.read();
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
        inbox.calls.publishBytes(inbox.caller, "orders", largest, null);
        inbox.publish("orders", "");
        inbox.caller.commit();
        List<InboxMessage> messages = messages(inbox.ring.store.readInbox(List.of(), ROWS_MAX, 2L * BODY_MAX));
        assertThat(messages.get(0).body()).isEqualTo(largest);
        assertThat(messages.get(1).text()).isTrue();
        assertThat(messages.get(1).body()).isEmpty();
    }

    @Test
    void everyLookTakesUpEveryCallerWhereTheLastOneEnded() throws Exception {
        try (InboxCallers callers = InboxCallers.begin(inbox)) {
            Map<String, Integer> taken = InboxCallers.takeUp(inbox.ring, callers::haveEnded);
            assertThat(taken).isEqualTo(callers.committed());
        }
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
        assertThatThrownBy(() -> inbox.calls.publish(inbox.caller, address, body, properties))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(inbox.calls.isRefusal(refused)).isTrue())
                .hasMessageContaining(code);
    }

    @Test
    void takesWhatIsJustWithinTheRules() throws SQLException {
        List<String> addresses = List.of("a".repeat(400), "queue://" + "b".repeat(400), " ", "q://ueue");
        for (String address : addresses) {
            inbox.calls.publish(
                    inbox.caller,
                    address,
                    "x",
                    "{\"priority\": 0, \"ttl\": 4294967295, \"durable\": true, \"n\": 9223372036854775807}");
        }
        inbox.caller.commit();
        assertThat(inbox.read())
                .extracting(InboxMessage::address)
                .containsExactly("a".repeat(400), "b".repeat(400), " ", "q://ueue");
    }

    @Test
    void aListOfManyFullAddressesIsTaken() throws SQLException {
        inbox.publish("orders", "one");
        inbox.caller.commit();
        List<String> full = IntStream.range(0, 3_000).mapToObj(i -> "full " + i).toList();
        assertThat(texts(full, ROWS_MAX, BYTES_MAX)).containsExactly("one");
    }

    private List<String> texts(List<String> leftOut, int messages, long bytes) {
        return messages(inbox.ring.store.readInbox(leftOut, messages, bytes)).stream()
                .map(InboxFixture::text)
                .toList();
    }
}

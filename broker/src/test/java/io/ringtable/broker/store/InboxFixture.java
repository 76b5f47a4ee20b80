package io.ringtable.broker.store;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Holds a database with shard 0, in whose inbox applications publish, and the connection of one application. */
final class InboxFixture {
    static final int ROWS_MAX = 1_000;
    static final long BYTES_MAX = 1 << 20;

    final TestDatabase database;
    final InboxCalls calls;
    final OneTopic ring;
    final Connection caller; // in a transaction, which it commits or rolls back itself

    InboxFixture(TestDatabase database, InboxCalls calls) throws SQLException {
        this.database = database;
        this.calls = calls;
        ring = OneTopic.laid(database.open());
        caller = database.connect();
        caller.setAutoCommit(false);
    }

    void publish(String address, String text) throws SQLException {
        publish(caller, address, text);
    }

    void publish(Connection connection, String address, String text) throws SQLException {
        calls.publish(connection, address, text, null);
    }

    List<InboxMessage> read() {
        return read(ring);
    }

    /** Reads the messages in the inbox of a shard, the oldest first. */
    static List<InboxMessage> read(OneTopic from) {
        return messages(from.store.readInbox(List.of(), ROWS_MAX, BYTES_MAX));
    }

    static List<InboxMessage> messages(List<InboxRow> rows) {
        return rows.stream().map(InboxMessage.class::cast).toList();
    }

    static List<Long> ids(List<InboxMessage> rows) {
        return rows.stream().map(InboxMessage::id).toList();
    }

    static String text(InboxMessage message) {
        return new String(message.body(), StandardCharsets.UTF_8);
    }

    /** Claims the messages, and deletes their rows with the same flush. */
    static void collect(OneTopic into, List<InboxMessage> rows) {
        into.store.flush(flush(into, rows.size(), ids(rows)));
        into.next += rows.size();
    }

    /** Puts together a flush that claims so many messages and deletes those rows. */
    static Flush flush(OneTopic into, int claims, List<Long> inboxIds) {
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
                inboxIds);
    }

    void close() throws Exception {
        caller.close();
        ring.close();
        database.close();
    }
}

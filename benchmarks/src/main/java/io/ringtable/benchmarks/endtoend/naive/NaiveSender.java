package io.ringtable.benchmarks.endtoend.naive;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes with one commit per message, or gathers messages for one: until the batch is full or nothing follows.
 * Thread: the publisher's; main closes it.
 */
final class NaiveSender implements Driver.Sender {
    private final NaiveSession session;
    private final PreparedStatement push;
    private final int batchMax;
    private final List<byte[]> bodies = new ArrayList<>();
    private final List<Runnable> accepted = new ArrayList<>();

    NaiveSender(NaiveSession session, String push, int batchMax) {
        this.session = session;
        this.push = session.prepare(push);
        this.batchMax = batchMax;
    }

    @Override
    public synchronized void send(byte[] body, Runnable onAccepted) {
        bodies.add(body);
        accepted.add(onAccepted);
        if (bodies.size() >= batchMax) {
            flush();
        }
    }

    @Override
    public void sendAndWait(byte[] body) {
        send(body, () -> {});
        flush();
    }

    @Override
    public synchronized void flush() {
        if (bodies.isEmpty()) {
            return;
        }
        session.transact(this::push);
        accepted.forEach(Runnable::run);
        bodies.clear();
        accepted.clear();
    }

    private int push() throws SQLException {
        for (byte[] body : bodies) {
            push.setBytes(1, body);
            push.addBatch();
        }
        for (int rows : push.executeBatch()) {
            if (rows < 1) {
                throw new IllegalStateException(rows + " rows changed where a message was pushed");
            }
        }
        return bodies.size();
    }

    @Override
    public synchronized void close() {
        session.close();
    }
}

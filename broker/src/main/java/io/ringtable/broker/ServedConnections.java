package io.ringtable.broker;

import io.ringtable.broker.amqp.OpenConnections;
import io.ringtable.broker.management.operations.ManagedConnections;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.Snapshot;
import io.ringtable.broker.status.TransactionStatus;
import java.util.concurrent.CompletionStage;

/** Ties the operations of administrators to the connections that AMQP serves. Thread: any. */
record ServedConnections(OpenConnections open) implements ManagedConnections {
    @Override
    public CompletionStage<Snapshot<ConnectionStatus>> connections(int most, String after, String filter) {
        return open.connections(most, after, filter);
    }

    @Override
    public CompletionStage<ConnectionStatus> connection(String id) {
        return open.connection(id);
    }

    @Override
    public CompletionStage<Snapshot<LinkStatus>> links(int most, String after, String connection, String address) {
        return open.links(most, after, connection, address);
    }

    @Override
    public CompletionStage<Snapshot<TransactionStatus>> transactions(int most, String after, String connection) {
        return open.transactions(most, after, connection);
    }

    @Override
    public CompletionStage<Void> close(String id, String by) {
        return open.close(id, by);
    }

    @Override
    public CompletionStage<Void> detach(String id, String by) {
        return open.detach(id, by);
    }

    @Override
    public CompletionStage<Void> rollBack(String id, String by) {
        return open.rollBack(id, by);
    }
}

package io.ringtable.broker.management.operations;

import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.Snapshot;
import io.ringtable.broker.status.TransactionStatus;
import java.util.concurrent.CompletionStage;

/**
 * Shows operations what clients have open on this node, and ends it.
 * <p>
 * Thread: any. Failure: {@link io.ringtable.broker.message.Refusal.Refused}, thrown or in the stage, for ids and
 * cursors that are none.
 */
public interface ManagedConnections {
    /** Shows connections in the order in which they came. @param after cursor; null = from the first */
    CompletionStage<Snapshot<ConnectionStatus>> connections(int most, String after, String filter);

    CompletionStage<ConnectionStatus> connection(String id);

    /** Shows links. @param connection id; null = of all, as is an address that is null */
    CompletionStage<Snapshot<LinkStatus>> links(int most, String after, String connection, String address);

    /** Shows open transactions, the oldest first. @param connection id; null = of all */
    CompletionStage<Snapshot<TransactionStatus>> transactions(int most, String after, String connection);

    /** Closes a connection. @param by who does it, for the client */
    CompletionStage<Void> close(String id, String by);

    /** Detaches a link. @param by who does it, for the client */
    CompletionStage<Void> detach(String id, String by);

    /** Rolls a transaction back. @param by who does it, for the client */
    CompletionStage<Void> rollBack(String id, String by);
}

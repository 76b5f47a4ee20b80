package io.ringtable.broker.amqp;

import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shows the links of a node. Its event loops have done all before that they were told before. */
final class LinksOf {
    private static final int MOST = 100;
    private static final long WAIT_SECONDS = 60;

    private LinksOf() {}

    static List<LinkStatus> all(TestBroker node) throws Exception {
        return queue(node, null);
    }

    static List<LinkStatus> queue(TestBroker node, String queue) throws Exception {
        return node.connections()
                .links(MOST, null, null, queue)
                .toCompletableFuture()
                .get(WAIT_SECONDS, TimeUnit.SECONDS)
                .items();
    }

    /** Returns how many bytes a node holds for the client of that container id. */
    static long heldBytes(TestBroker node, String container) throws Exception {
        return clients(node, container).stream()
                .mapToLong(ConnectionStatus::heldBytes)
                .sum();
    }

    /** Returns the connections of the client of that container id, also those that other nodes carry. */
    static List<ConnectionStatus> clients(TestBroker node, String container) throws Exception {
        return node
                .connections()
                .connections(MOST, null, container)
                .toCompletableFuture()
                .get(WAIT_SECONDS, TimeUnit.SECONDS)
                .items()
                .stream()
                .filter(client -> client.container().equals(container))
                .toList();
    }
}

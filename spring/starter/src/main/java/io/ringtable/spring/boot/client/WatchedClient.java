package io.ringtable.spring.boot.client;

import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.health.WatchedConnection;

/** Follows the SDK's client; one that gave up does not stand any more, one that was closed is over. */
final class WatchedClient implements WatchedConnection {
    static final String KIND = "client";

    private final RingtableClient client;

    WatchedClient(RingtableClient client) {
        this.client = client;
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isOver() {
        return client.closed().isDone() && !client.closed().isCompletedExceptionally();
    }

    @Override
    public String trouble() {
        if (client.closed().isCompletedExceptionally()) {
            return "the client has given up, and the application has to start anew";
        }
        return client.isConnected() ? null : "the connection is lost, and comes back by itself";
    }
}

package io.ringtable.acceptance.greed;

import java.io.IOException;

/** The broker under attack, as its attackers see it. Thread: any. */
record Victim(int port, Deeds deeds) {
    /** A connection of an anonymous client with that many sessions. */
    GreedyConnection connect(String container, int sessions) throws IOException {
        return GreedyConnection.open(this, container, sessions);
    }
}

package io.ringtable.broker.amqp;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;

/** Moves shards from node to node, as an administrator does. */
final class ShardMove {
    private ShardMove() {}

    /** Moves a shard, and waits until the other node serves it. @param user who asks; empty = nobody has to log in */
    static void move(PostgresqlTestDatabase database, int shard, TestBroker from, TestBroker to, String user) {
        begin(database, shard, from, to, user);
        awaitMoved(database, shard, from, to, user);
    }

    /**
     * Waits until a node serves a shard, and the giver has seen that. Asks again when a handover was given up, since a
     * busy machine took too long for it.
     */
    static void awaitMoved(PostgresqlTestDatabase database, int shard, TestBroker from, TestBroker to, String user) {
        await().until(() -> {
            if (from.status().shards().get(shard).isActive() && isNoneUnderWay(database)) {
                begin(database, shard, from, to, user);
            }
            return to.status().shards().get(shard).isActive()
                    && from.status().shards().get(shard).isElsewhere();
        });
    }

    /**
     * Begins to move a shard, once no other handover is under way, and the giver has seen that it is the owner. Begins
     * nothing if the shard has come to the taker by then, as had been asked for before.
     */
    static void begin(PostgresqlTestDatabase database, int shard, TestBroker from, TestBroker to, String user) {
        String id = to.id();
        await().until(() -> isNoneUnderWay(database));
        await().untilAsserted(() -> {
            if (!to.status().shards().get(shard).isActive()) {
                Administrator.of(from, user).ask(202, "POST", "/shards/" + shard + "/move", "{'node': '" + id + "'}");
            }
        });
    }

    private static boolean isNoneUnderWay(PostgresqlTestDatabase database) throws Exception {
        return database.ask("SELECT count(*) FROM ringtable.home WHERE scope = 'handover' AND owner NOT LIKE 'over|%'")
                .equals("0");
    }
}

package io.ringtable.broker.amqp;

import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Shows and changes what the directory in a database says of a name. */
final class DirectoryRows {
    private DirectoryRows() {}

    /** Returns shard and state of each part of an address, by shard: {@code 0here,1going}; null if there is no row. */
    static String ofAddress(PostgresqlTestDatabase database, String name) throws Exception {
        return database.ask(states() + isAddress(name));
    }

    /** Returns the same of a subscription. @param name without the client id */
    static String ofSubscription(PostgresqlTestDatabase database, String name) throws Exception {
        return database.ask(states() + isSubscription(name));
    }

    /** Counts the rows of a table with that name, over all shards. */
    static String stored(PostgresqlTestDatabase database, String table, String name) throws Exception {
        return database.ask("SELECT count(*) FROM ringtable." + table + " WHERE name = '" + name + "'");
    }

    /** Marks all rows of an address as a node does before it dies. @param word that the rows say as their owner */
    static void markAddress(PostgresqlTestDatabase database, String name, String word) {
        mark(database, isAddress(name), word);
    }

    /** Marks all rows of a subscription as a node does before it dies. @param word that the rows say as their owner */
    static void markSubscription(PostgresqlTestDatabase database, String name, String word) {
        mark(database, isSubscription(name), word);
    }

    private static void mark(PostgresqlTestDatabase database, String which, String word) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE ringtable.directory SET version = version + 1; UPDATE ringtable.home SET state ="
                    + " 'going', owner = '" + word + "', version = (SELECT version FROM ringtable.directory)" + which);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String states() {
        return "SELECT string_agg(shard_id::text || state, ',' ORDER BY shard_id) FROM ringtable.home";
    }

    private static String isAddress(String name) {
        return " WHERE scope = 'address' AND name = '" + name + "'";
    }

    private static String isSubscription(String name) {
        return " WHERE scope = 'subscription' AND name LIKE '%|" + name + "'";
    }
}

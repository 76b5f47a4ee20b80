package io.ringtable.broker.shard;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Takes the file of a shard back to an earlier schema. */
final class EarlierSchema {
    private EarlierSchema() {}

    /** Makes the file as brokers left it before schema 005; the owners of producers stay, and step 007 drops them. */
    static void hideReplaysAmongTheProducers(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "INSERT INTO producer (producer_id, address_id, name, incarnation, last_number, used_at)"
                            + " SELECT h.next_id, s.address_id, '$replay:' || r.subscription_id, r.finished + 1,"
                            + " r.position, 0"
                            + " FROM replay AS r JOIN subscription AS s USING (subscription_id), shard AS h");
            statement.executeUpdate("UPDATE shard SET next_id = next_id + 1");
            statement.executeUpdate("DROP TABLE replay");
            statement.executeUpdate("DROP TABLE setting");
            statement.executeUpdate("DROP TABLE login");
            statement.executeUpdate("DROP TABLE home");
            statement.executeUpdate("DROP TABLE directory");
            statement.executeUpdate("DROP TABLE node");
            statement.executeUpdate("ALTER TABLE slot DROP COLUMN login_id");
            statement.executeUpdate("ALTER TABLE backlog DROP COLUMN login_id");
            statement.executeUpdate("DELETE FROM ringtable_schema_history WHERE version >= '005'");
        }
    }
}

package io.ringtable.acceptance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server of the tests syncs, and keeps its data while it is stopped. */
class PostgresServerTest {

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void syncsAndKeepsItsDataThroughAStop() throws Exception {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        assertThat(ask(server, url, "SHOW fsync")).isEqualTo("on");
        assertThat(ask(server, url, "SHOW synchronous_commit")).isEqualTo("on");

        long before = server.pid();
        server.stop();
        server.start();

        assertThat(server.pid()).isNotEqualTo(before);
        assertThat(ask(server, url, "SELECT current_database()")).startsWith("ringtable");
    }

    private static String ask(PostgresServer server, String url, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection(url, server.username(), server.password());
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            answer.next();
            return answer.getString(1);
        }
    }
}

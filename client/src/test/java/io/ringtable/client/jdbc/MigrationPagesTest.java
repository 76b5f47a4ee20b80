package io.ringtable.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.client.RealBroker;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the SQL of docs/migrate on PostgreSQL, with a broker that collects what it publishes. */
@Timeout(120)
class MigrationPagesTest {
    private static final Path PAGES =
            Path.of(System.getProperty("ringtable.root", "..")).resolve("docs/migrate");
    private static final Pattern SQL = Pattern.compile("^```sql\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Duration SOON = Duration.ofSeconds(60);

    private TestDatabase database; // null = the test needs none

    @AfterEach
    void close() throws Exception {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void rowsOfAQueueTableBecomeMessages() throws Exception {
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        TestSettings ours = TestSettings.of();
        try (RingtableBroker broker = new RingtableBroker(
                                database.settings(), ours.shard(), ours.amqp(), ours.logins(), CommitMonitor.NONE)
                        .start();
                RingtableClient client = RealBroker.client(broker.amqpPort()).connect();
                Receiver mails = client.receiver("queue://jobs.mail");
                Receiver prints = client.receiver("queue://jobs.print");
                Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String block : blocks("queue-table.md")) {
                statement.execute(block);
            }

            ReceivedMessage invoice = next(mails);
            assertThat(invoice.text()).isEqualTo("invoice 2026-4711");
            assertThat(invoice.priority()).isEqualTo(7);
            assertThat(invoice.messageId()).contains("invoice-2026-4711");
            ReceivedMessage one = next(mails);
            assertThat(one.text()).isEqualTo("one");
            assertThat(one.property("job-id")).isEqualTo(1);
            assertThat(next(mails).text()).isEqualTo("two");
            assertThat(next(prints).text()).isEqualTo("three");
            assertThat(payloadsLeft(statement)).containsExactly("for tomorrow");
        }
    }

    /** Statements for PostgreSQL stand on one page; a new one elsewhere needs a test here. */
    @Test
    void noOtherPageHasSqlThatNobodyRuns() throws IOException {
        try (Stream<Path> pages = Files.list(PAGES)) {
            assertThat(pages.map(page -> page.getFileName().toString())
                            .filter(page -> !page.equals("queue-table.md"))
                            .filter(page -> !blocks(page).isEmpty()))
                    .isEmpty();
        }
    }

    private Connection connect() throws SQLException {
        StoreProperties settings = database.settings().properties();
        return DriverManager.getConnection(settings.url(), settings.username(), settings.password());
    }

    private static ReceivedMessage next(Receiver receiver) {
        ReceivedMessage message = receiver.receive(SOON).orElseThrow();
        message.acknowledge();
        return message;
    }

    private static List<String> payloadsLeft(Statement statement) throws SQLException {
        List<String> left = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery("SELECT payload FROM job ORDER BY id")) {
            while (rows.next()) {
                left.add(rows.getString(1));
            }
        }
        return left;
    }

    private static List<String> blocks(String page) {
        try {
            return SQL.matcher(Files.readString(PAGES.resolve(page)))
                    .results()
                    .map(block -> block.group(1))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}

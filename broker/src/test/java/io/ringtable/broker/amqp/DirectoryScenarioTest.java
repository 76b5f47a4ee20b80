package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rows that a broker with several shards leaves in the directory, whatever its clients do. */
@Timeout(60)
class DirectoryScenarioTest {
    private static final TestSettings SEVERAL = TestSettings.of("ringtable.shards", 3);

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection connection;
    private Session session;

    private void start(TestSettings settings) throws JMSException {
        broker = TestBroker.start(directory, settings);
        connection = broker.jms("").createConnection();
        connection.setClientID("homes");
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    private void end() throws JMSException {
        connection.close();
        broker.close();
        broker = null;
    }

    @AfterEach
    void stop() throws JMSException {
        if (broker != null) {
            end();
        }
    }

    private void makeQueue(String name) throws JMSException {
        try (MessageProducer producer = session.createProducer(session.createQueue(name))) {
            producer.send(session.createTextMessage(name));
        }
    }

    private void subscribe(String topic, String name) throws JMSException {
        session.createDurableSubscriber(session.createTopic(topic), name).close();
    }

    private int homeOf(String address) {
        return ShardIds.shardOf(broker.shard().lookup().find(address).id());
    }

    private void delete(String name) {
        Address address = broker.shard().lookup().find(name);
        broker.shard()
                .catalog()
                .deleteStored(address, true)
                .toCompletableFuture()
                .join();
    }

    /** Returns the homes of a name by part, from the directory of a broker that has ended. */
    private List<Integer> rowsOf(HomeRow.Scope scope, String name) {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            List<HomeRow> rows = store.directory().changes(0).rows().stream()
                    .filter(row -> row.scope() == scope && row.name().equals(name))
                    .sorted(Comparator.comparingInt(HomeRow::part))
                    .toList();
            assertThat(rows).allSatisfy(row -> assertThat(row.state()).isEqualTo(HomeRow.State.HERE));
            return rows.stream().map(HomeRow::shard).toList();
        }
    }

    @Test
    void theDirectoryHasTheHomeOfEachNameUntilTheNameGoes() throws Exception {
        start(SEVERAL);
        List<Integer> homes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            makeQueue("work." + i);
            homes.add(homeOf("work." + i));
        }
        subscribe("news", "reader");
        subscribe("news", "leaver");
        int homeOfNews = homeOf("news");
        session.unsubscribe("leaver");
        delete("work.5");
        end();

        assertThat(homes).contains(0, 1, 2);
        for (int i = 0; i < 5; i++) {
            assertThat(rowsOf(HomeRow.Scope.ADDRESS, "work." + i)).containsExactly(homes.get(i));
        }
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "work.5")).isEmpty();
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "news")).containsExactly(homeOfNews);
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "DLQ")).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(rowsOf(HomeRow.Scope.SUBSCRIPTION, "5|homes|reader")).containsExactly(homeOfNews);
        assertThat(rowsOf(HomeRow.Scope.SUBSCRIPTION, "5|homes|leaver")).isEmpty();

        start(SEVERAL);
        delete("news");
        subscribe("others", "reader");
        int homeOfOthers = homeOf("others");
        end();

        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "news")).isEmpty();
        assertThat(rowsOf(HomeRow.Scope.SUBSCRIPTION, "5|homes|reader")).containsExactly(homeOfOthers);
    }

    @Test
    void namesOfOneShardEnterTheDirectoryWhenThereAreMore() throws Exception {
        start(TestSettings.of("ringtable.shards", 1));
        makeQueue("work");
        subscribe("news", "reader");
        end();
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "work")).isEmpty();

        start(SEVERAL);
        makeQueue("more");
        int homeOfMore = homeOf("more");
        end();

        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "work")).containsExactly(0);
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "more")).containsExactly(homeOfMore);
        assertThat(rowsOf(HomeRow.Scope.ADDRESS, "news")).containsExactly(0);
        assertThat(rowsOf(HomeRow.Scope.SUBSCRIPTION, "5|homes|reader")).containsExactly(0);
    }
}

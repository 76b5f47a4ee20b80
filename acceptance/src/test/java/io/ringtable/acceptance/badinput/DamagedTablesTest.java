package io.ringtable.acceptance.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.ServerDatabase;
import jakarta.jms.JMSException;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that contradict themselves: the broker changes nothing, serves nobody and says so to whoever watches it. */
class DamagedTablesTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(100); // each asks the broker

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void aBrokerThatHasGivenUpIsNotAlive(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess broker =
                bench.broker(settings -> settings.store(database).oneShard()).start();
        Jms.send(broker.amqpUrl(), "orders", 10);
        assertThat(broker.http("/livez").status()).isEqualTo(200);

        database.execute(
                "SELECT * INTO kept FROM ringtable.slot WHERE sequence = 4",
                "DELETE FROM ringtable.slot WHERE sequence = 4",
                "UPDATE ringtable.shard SET epoch = epoch + 1"); // as if another node had been here
        assertThatThrownBy(() -> Jms.send(broker.amqpUrl(), "orders", 1)).isInstanceOf(JMSException.class);
        await().atMost(SOON)
                .pollInterval(LOOK)
                .until(() -> broker.http("/livez").body().contains("RT-3016"));
        assertThat(broker.http("/livez").status()).isEqualTo(503);
        assertThat(broker.isReady()).isFalse();
        assertThat(broker.isAlive()).as("it waits for whoever watches it").isTrue();
        broker.kill();

        assertThat(broker.launch().awaitExit(SOON)).isNotZero();
        assertThat(broker.log()).contains("RT-3016 ", "nothing was changed");

        database.execute("INSERT INTO ringtable.slot SELECT * FROM kept");
        broker.start();
        assertThat(Jms.receive(broker.amqpUrl(), "orders", 10)).isEqualTo(Jms.bodies(10));
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Addresses of one affinity live in one shard, so that a transaction may have all of them. */
@Timeout(60)
class AffinityScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int SHARDS = 3;

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Administrator administrator;

    @BeforeEach
    void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.shards", SHARDS)
                        .with(
                                "ringtable.dispatch.addresses[0].match",
                                "bank.#",
                                "ringtable.dispatch.addresses[0].affinity",
                                "bank"));
        administrator = Administrator.of(broker, "");
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private void create(String... names) {
        try (JMSContext context = broker.jms().createContext()) {
            for (String name : names) {
                context.createProducer().send(context.createQueue(name), "to " + name);
            }
        }
    }

    private int homeOf(String name) {
        return ShardIds.shardOf(broker.shard().lookup().find(name).id());
    }

    private List<Integer> homes(Stream<String> names) {
        return names.map(this::homeOf).distinct().toList();
    }

    private static Stream<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i);
    }

    @Test
    void newAddressesOfOneAffinityShareAHomeAndTheOthersAreSpread() {
        administrator.make("/policies/shop.#", "{'affinity': 'shop'}");
        for (int i = 0; i < 6; i++) {
            create("bank." + i, "shop." + i, "work." + i);
        }
        assertThat(homes(names("bank.", 6))).hasSize(1);
        assertThat(homes(names("shop.", 6))).hasSize(1);
        assertThat(homes(names("work.", 6)))
                .as("they go where the fewest are")
                .doesNotContain(homeOf("bank.0"), homeOf("shop.0"));

        try (JMSContext transacted = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            for (String name : names("shop.", 6).toList()) {
                assertThat(transacted
                                .createConsumer(transacted.createQueue(name))
                                .receiveBody(String.class, WAIT_MS))
                        .isEqualTo("to " + name);
                transacted.createProducer().send(transacted.createQueue(name), "again");
            }
            transacted.commit();
        }
        try (JMSContext context = broker.jms().createContext()) {
            for (String name : names("shop.", 6).toList()) {
                assertThat(context.createConsumer(context.createQueue(name)).receiveBody(String.class, WAIT_MS))
                        .isEqualTo("again");
            }
        }
    }

    @Test
    void anAffinityKeepsItsHomeWhenTheNodeStartsAgain() {
        create("bank.0", "bank.1", "bank.2", "work.0");
        int home = homeOf("bank.0");
        stop();
        start();
        create("bank.3", "bank.4");
        assertThat(homes(names("bank.", 5))).containsExactly(home);
    }

    @Test
    void aPolicyThatComesLaterGathersNewAddressesWhereMostAre() {
        create("a.0", "a.1", "a.2"); // one in each shard
        administrator.make("/policies/*.2", "{'affinity': 'a'}");
        create("b.2");
        assertThat(homeOf("b.2")).isEqualTo(homeOf("a.2"));
        administrator.make("/policies/*.0", "{'affinity': 'a'}");
        administrator.delete("/policies/*.2");
        create("b.0");
        assertThat(homeOf("b.0")).isEqualTo(homeOf("a.0"));
    }

    @Test
    void aTransactionOverTwoAffinitiesSaysWhatWouldHelp() {
        administrator.make("/policies/shop.#", "{'affinity': 'shop'}");
        create("bank.0", "shop.0");
        assertThat(homeOf("bank.0")).isNotEqualTo(homeOf("shop.0"));
        try (JMSContext transacted = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            transacted.createProducer().send(transacted.createQueue("bank.0"), "lost");
            transacted.createProducer().send(transacted.createQueue("shop.0"), "lost");
            assertThatThrownBy(transacted::commit)
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-4480")
                    .hasMessageContaining("one affinity by a policy");
        }
    }

    @Test
    void anAdministratorSeesSetsAndRemovesAnAffinity() {
        administrator.make("/policies/shop.#", "{'affinity': 'shop'}");
        JsonNode policy = administrator.get("/policies").get("items").get(0);
        assertThat(policy.get("affinity").asString()).isEqualTo("shop");
        administrator.change("/policies/shop.#", "{'affinity': ''}");
        create("shop.0", "shop.1", "shop.2");
        assertThat(homes(names("shop.", 3))).as("spread again").hasSize(SHARDS);
        administrator.refused(400, "RT-7730", "PUT", "/policies/shop.#", "{'affinity': '" + "x".repeat(101) + "'}");
    }
}

package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.benchmarks.endtoend.driver.Destination;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioTest {

    @ParameterizedTest
    @CsvSource({
        "1:1,         STEADY,  false, false, 1, false, 1,  1,  0, 0,    300",
        "8:4@10k,     STEADY,  false, false, 1, false, 8,  4,  0, 0,    10240",
        "sync,        STEADY,  false, false, 1, true,  1,  0,  0, 0,    300",
        "sync8@1k,    STEADY,  false, false, 1, true,  8,  0,  0, 0,    1024",
        "sdksync64,   STEADY,  true,  false, 1, true,  64, 0,  0, 0,    300",
        "sdk,         STEADY,  true,  false, 1, false, 1,  1,  0, 0,    300",
        "sdk8:8/900,  STEADY,  true,  false, 1, false, 8,  8,  0, 900,  300",
        "paced,       STEADY,  false, false, 1, false, 1,  1,  0, 5000, 300",
        "paced/200,   STEADY,  false, false, 1, false, 1,  1,  0, 200,  300",
        "fanout,      STEADY,  false, true,  1, false, 1,  10, 0, 0,    300",
        "fanout3,     STEADY,  false, true,  1, false, 1,  3,  0, 0,    300",
        "stalled,     STEADY,  false, true,  1, false, 1,  9,  1, 0,    300",
        "backlog,     BACKLOG, false, false, 1, false, 8,  8,  0, 0,    300",
        "8x1:1,       STEADY,  false, false, 8, false, 8,  8,  0, 0,    300",
        "sdk2x3:1@1k, STEADY,  true,  false, 2, false, 6,  2,  0, 0,    1024",
        "soak2:2@1m,  SOAK,    false, false, 1, false, 2,  2,  0, 0,    1048576"
    })
    void aNameSaysWhatRuns(
            String name,
            Scenario.Kind kind,
            boolean sdk,
            boolean topic,
            int queues,
            boolean waits,
            int producers,
            int consumers,
            int stalled,
            int rate,
            int bodyBytes) {
        assertThat(Scenario.named(name))
                .isEqualTo(new Scenario(
                        name, kind, sdk, topic, queues, waits, producers, consumers, stalled, rate, bodyBytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8",
                "sync1:1",
                "fanout8:8",
                "backlog8",
                "nosuch",
                "1:1@",
                "1:1@4",
                "0:1",
                "1:1/0",
                "2xsync8",
                "0x1:1",
                "2x"
            })
    void aNameThatSaysNothingIsRefused(String name) {
        assertThatThrownBy(() -> Scenario.named(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("scenario=" + name);
    }

    @Test
    void largeBodiesLeaveFewerUnderWay() {
        assertThat(Scenario.named("1:1").underWayMax()).isEqualTo(1_000);
        assertThat(Scenario.named("1:1@100k").underWayMax()).isEqualTo(163);
        assertThat(Scenario.named("1:1@1m").underWayMax()).isEqualTo(16);
    }

    @Test
    void clientsHaveTheQueuesInTurn() {
        assertThat(Scenario.named("2x2:2").destination(3)).isEqualTo(Destination.queue("bench-queue-1"));
        assertThat(Scenario.named("8:8").destination(3)).isEqualTo(Destination.queue(Scenario.QUEUE));
    }

    @Test
    void brokersRunWhatSaysSomethingAboutThem() {
        assertThat(Broker.named("naive-batched")).isEqualTo(Broker.NAIVE_BATCHED);
        assertThat(Broker.ARTEMIS.runs(Scenario.named("sdk"))).isFalse();
        assertThat(Broker.BASELINE.runs(Scenario.named("sdk"))).isTrue();
        assertThat(Broker.NAIVE.runs(Scenario.named("sync8"))).isTrue();
        assertThat(Broker.NAIVE_BATCHED.runs(Scenario.named("sync8"))).isFalse();
    }
}

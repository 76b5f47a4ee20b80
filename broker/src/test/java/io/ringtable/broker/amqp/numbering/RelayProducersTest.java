package io.ringtable.broker.amqp.numbering;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RelayProducersTest {
    private final List<Runnable> later = new ArrayList<>();
    private final RelayProducers producers = new RelayProducers("node-a", 3, (action, delayMs) -> later.add(action));

    @Test
    void noTwoLinksToAnAddressHaveOneProducerAndPlacesAreUsedAgain() {
        RelayProducers.Place first = producers.take("orders");
        RelayProducers.Place second = producers.take("orders");
        assertThat(first.producer()).isEqualTo("$relay:node-a:3:0");
        assertThat(second.producer()).isEqualTo("$relay:node-a:3:1");
        assertThat(producers.take("bills").producer()).isEqualTo("$relay:node-a:3:0");

        first.giveBack(true);
        first.giveBack(true);
        assertThat(producers.take("orders").producer()).isEqualTo("$relay:node-a:3:0");

        second.giveBack(false);
        assertThat(producers.take("orders").producer()).as("one place rests").isEqualTo("$relay:node-a:3:2");
        later.forEach(Runnable::run);
        RelayProducers.Place rested = producers.take("orders");
        assertThat(rested.producer()).isEqualTo("$relay:node-a:3:1");
        rested.giveBack(true);
        assertThat(producers.size()).isEqualTo(3);
    }
}

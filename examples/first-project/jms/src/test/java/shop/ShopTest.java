package shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.test.AutoConfigureRingtable;
import io.ringtable.test.TestBroker;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureRingtable
class ShopTest {
    @Autowired
    OrderDesk desk;

    @Autowired
    Warehouse warehouse;

    @Test
    void shipsWhatIsOrdered(TestBroker broker) {
        desk.order("Moby-Dick");

        broker.awaitConsumed("queue://orders", 1);

        assertThat(warehouse.shipped).containsExactly("Moby-Dick");
    }
}

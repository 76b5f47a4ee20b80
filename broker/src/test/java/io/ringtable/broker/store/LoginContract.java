package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.RingGeometry;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message says by which login it was published, wherever it lies and however often the store is opened. */
abstract class LoginContract {
    private static final int ALICE = 1;
    private static final int SHOP = 2;

    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void twoLogins() {
        f = fixture();
        topic = f.topic("orders", 1);
        f.login(ALICE, PublisherLogin.of("alice"));
        f.login(SHOP, PublisherLogin.ofDatabase("shop"));
    }

    @Test
    void loginsOfEachKindComeBackAsTheyWereNamed() {
        f.login(3, PublisherLogin.of("alice ")); // another one than alice, whatever the engine says of spaces
        f.login(4, PublisherLogin.of("Alice"));
        f.login(5, PublisherLogin.of("läden/★ \"2\" 100% 'x'"));
        f.login(6, PublisherLogin.of("n".repeat(PublisherLogin.NAME_MAX)));
        f.login(7, PublisherLogin.ofDatabase(null));
        f.login(8, PublisherLogin.BROKER);
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void aMessageKeepsItsLoginInTheRingAndInTheBacklog() {
        int[] logins = {ALICE, SHOP, PublisherLogin.NOBODY_ID, PublisherLogin.UNKNOWN_ID};
        for (int block = 0; block < 2; block++) {
            TestFlush batch = f.batch();
            for (int i = 0; i < RingGeometry.BLOCK; i++) {
                batch.publish(topic, StoreFixture.body("message " + i), logins[i % logins.length]);
            }
            batch.flush();
        }
        f.agrees();
        f.reclaim(RingGeometry.BLOCK);
        f.agrees();
        f.reopen();
        f.agrees();
        for (int i = 0; i < logins.length; i++) {
            assertThat(f.store.readMessage(i).message().loginId())
                    .as("message %s in the backlog", i)
                    .isEqualTo(logins[i]);
            assertThat(f.store.readMessage(RingGeometry.BLOCK + i).message().loginId())
                    .as("message %s in the ring", RingGeometry.BLOCK + i)
                    .isEqualTo(logins[i]);
        }
    }

    @Test
    void allMessagesOfABatchMayHaveComeWithoutALoginOrByOne() {
        f.batch()
                .publish(topic, StoreFixture.body("one"), PublisherLogin.NOBODY_ID)
                .publish(topic, StoreFixture.body("two"), PublisherLogin.NOBODY_ID)
                .flush();
        f.batch()
                .publish(topic, StoreFixture.body("three"), SHOP)
                .publish(topic, StoreFixture.body("four"), SHOP)
                .flush();
        assertThat(f.store.readRing(new long[] {0, 1, 2, 3}))
                .extracting(StoredMessage::loginId)
                .containsExactly(PublisherLogin.NOBODY_ID, PublisherLogin.NOBODY_ID, SHOP, SHOP);
        f.agrees();
    }

    @Test
    void aFormerOwnerAddsNoLogin() {
        long former = f.epoch;
        f.own();
        LoginRow row = new LoginRow(3, PublisherLogin.of("bob"));
        f.refused(StoreFailure.Kind.FENCED, () -> f.store.alter(former, List.of(new CatalogChange.CreateLogin(row))));
    }
}

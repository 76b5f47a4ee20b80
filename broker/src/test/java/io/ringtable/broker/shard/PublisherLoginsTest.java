package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import org.junit.jupiter.api.Test;

/** A message keeps the login by which it was published; the row of a login is durable before its first message. */
class PublisherLoginsTest extends SteppedQueueTest {
    private static final PublisherLogin ALICE = PublisherLogin.of("alice");

    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    private void publish(String text, PublisherLogin login) {
        shard.submit(new Message(queue, shard.now, 4, 0, 0, SteppedShard.bytes(text), 0, null, login));
    }

    private PublisherLogin loginOf(long sequence) {
        int id = shard.store.readMessage(sequence).message().loginId();
        return shard.doors.logins().of(id);
    }

    private long loginsWritten() {
        return shard.store.calls.stream().filter("alter"::equals).count();
    }

    @Test
    void aLoginHasOneRowHoweverManyLinksAndMessagesNameIt() {
        long before = loginsWritten();
        for (int i = 0; i < 100; i++) {
            publish("of a link", PublisherLogin.of("alice"));
            publish("of another login", PublisherLogin.of("bob"));
        }
        shard.run();
        assertThat(loginsWritten() - before).isEqualTo(2);
        assertThat(loginOf(198)).isEqualTo(ALICE);
        assertThat(loginOf(199)).isEqualTo(PublisherLogin.of("bob"));
    }

    @Test
    void clientsWithoutALoginNeedNoRow() {
        long before = loginsWritten();
        publish("anonymous", PublisherLogin.NOBODY);
        publish("not known", PublisherLogin.UNKNOWN);
        shard.run();
        assertThat(loginsWritten()).isEqualTo(before);
        assertThat(loginOf(0)).isEqualTo(PublisherLogin.NOBODY);
        assertThat(loginOf(1)).isEqualTo(PublisherLogin.UNKNOWN);
    }

    @Test
    void whatComesBackFromTheStoreSaysItsLogin() {
        for (int i = 0; i < 40; i++) { // more than memory keeps
            publish("message " + i, i % 2 == 0 ? ALICE : PublisherLogin.ofDatabase("shop"));
        }
        shard.run();
        restart();
        Reader reader = reader(40);
        shard.run();
        assertThat(reader.deliveries).hasSize(40);
        assertThat(reader.deliveries.get(38).message().login()).isEqualTo(ALICE);
        assertThat(reader.deliveries.get(39).message().login()).isEqualTo(PublisherLogin.ofDatabase("shop"));
    }

    @Test
    void theBacklogKeepsTheLogin() {
        publish("slow", ALICE);
        shard.run();
        shard.passALap();
        Reader reader = reader(1);
        shard.run();
        Delivery delivery = reader.deliveries.get(0);
        assertThat(shard.store.readMessage(delivery.sequence()).inRing()).isFalse();
        assertThat(delivery.message().login()).isEqualTo(ALICE);
    }

    @Test
    void aLoginWhoseWritingHadNoKnownEndIsThereOnce() {
        for (Fault fault : new Fault[] {Fault.after(Kind.OUTCOME_UNKNOWN), Fault.before(Kind.OUTCOME_UNKNOWN)}) {
            failOnce("alter", fault);
            publish("one", PublisherLogin.of("user after " + fault));
            shard.run();
        }
        assertThat(loginOf(0).user()).contains("after=true");
        assertThat(loginOf(1).user()).contains("after=false");
        restart();
        publish("again", PublisherLogin.of(loginOf(0).user()));
        shard.run();
        assertThat(shard.store.readMessage(2).message().loginId())
                .isEqualTo(shard.store.readMessage(0).message().loginId());
    }

    @Test
    void aLoginThatTheStoreRefusesIsUnknownAndItsMessagesAreStored() {
        failOnce("alter", Fault.before(Kind.REFUSED));
        publish("one", ALICE);
        shard.run();
        long before = loginsWritten();
        publish("two", ALICE);
        shard.run();
        assertThat(loginsWritten()).as("not tried again by that link").isEqualTo(before);
        assertThat(loginOf(1)).isEqualTo(PublisherLogin.UNKNOWN);
        assertThat(received(queue)).containsExactly("one", "two");
    }

    @Test
    void aStoreThatTakesNoWritesForAWhileHasTheLoginAfterwards() {
        failOnce("alter", Fault.before(Kind.NOT_WRITABLE));
        publish("one", ALICE);
        shard.run();
        publish("two", ALICE);
        shard.run();
        assertThat(loginOf(0)).isEqualTo(PublisherLogin.UNKNOWN);
        assertThat(loginOf(1)).isEqualTo(ALICE);
    }

    @Test
    void aShardThatHasAsManyLoginsAsItKeepsStoresMessagesOfOthersAsUnknown() {
        LoginIds logins = shard.doors.logins();
        for (int id = 1; id <= LoginIds.LOGINS_MAX; id++) {
            logins.add(PublisherLogin.of("user " + id), id);
        }
        publish("of one more", ALICE);
        publish("of a known one", PublisherLogin.of("user 77777"));
        shard.run();
        assertThat(loginOf(0)).isEqualTo(PublisherLogin.UNKNOWN);
        assertThat(loginOf(1).user()).isEqualTo("user 77777");
    }
}

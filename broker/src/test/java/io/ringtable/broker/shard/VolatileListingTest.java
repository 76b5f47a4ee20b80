package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.browse.VolatileMessages;
import io.ringtable.broker.dispatch.browse.VolatileOwed;
import io.ringtable.broker.dispatch.browse.VolatilePage;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that what lives in memory alone is listed wherever it waits, in bounded answers, and is not taken. */
class VolatileListingTest extends SteppedTest {
    private static final int STEPS = 4; // of a slice

    @Override
    void configure(SteppedShard unopened) {
        unopened.sliceSteps = STEPS;
    }

    private VolatileMessages volatiles() {
        return shard.dispatcher.volatileMessages();
    }

    private Address temporary() {
        return shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
    }

    private List<Ready> owed(Subscription subscription) {
        VolatileOwed owed = shard.await(volatiles().owedBy(subscription.id()));
        assertThat(owed.subscription()).isEqualTo(subscription);
        return List.copyOf(owed.inOrder());
    }

    private List<String> texts(Subscription subscription) {
        return owed(subscription).stream()
                .map(ready -> new String(ready.message().encoded(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void whatWaitsIsDelayedOrIsWithAConsumerIsListedInOrder() {
        Address replies = temporary();
        Subscription reader = shard.reader(replies);
        shard.publish(replies, 0, 3);
        shard.submit(new Message(replies, shard.now, 4, 0, shard.now + 1_000, SteppedShard.bytes("later"), 0));
        shard.submit(new Message(replies, shard.now, 9, 0, 0, SteppedShard.bytes("urgent"), 0));
        shard.run();
        assertThat(texts(reader)).containsExactly("0", "1", "2", "later", "urgent");

        Reader consumer = shard.attach(reader, 2);
        shard.run();
        assertThat(consumer.texts()).containsExactly("urgent", "0");
        assertThat(texts(reader)).as("the consumer has two").containsExactly("0", "1", "2", "later", "urgent");

        consumer.modify(consumer.deliveries.get(1), true, false);
        shard.run();
        assertThat(owed(reader)).extracting(Ready::failures).containsExactly(1, 0, 0, 0, 0);
        consumer.acceptAll();
        shard.run();
        assertThat(texts(reader)).doesNotContain("urgent");
        consumer.credit(100);
        shard.run();
        consumer.acceptAll();
        shard.run();
        assertThat(texts(reader)).containsExactly("later");
    }

    @Test
    void whatIsStoredOrGoneIsNotVolatile() {
        Address queue = shard.queue("q");
        assertThat(shard.await(volatiles().owedBy(shard.reader(queue).id()))).isNull();
        Address replies = temporary();
        Subscription reader = shard.reader(replies);
        shard.await(shard.doors.catalog().delete(replies));
        assertThat(shard.await(volatiles().owedBy(reader.id()))).isNull();
        assertThat(shard.await(volatiles().list(any -> true, 0, 10)).items()).isEmpty();
    }

    @Test
    void subscriptionsAreListedInBoundedPartsTheOldestFirst() {
        Address topic = shard.topic("t");
        List<Subscription> made = new ArrayList<>();
        for (int i = 0; i < 2 * STEPS + 1; i++) {
            Subscription one = shard.doors.lookup().volatileReader(topic, "client", "v" + i, null, false);
            shard.attach(one, 0);
            shard.run();
            made.add(one);
        }
        shard.publish(topic, 0, 3);
        shard.run();
        assertThat(listed(100)).isEqualTo(made);
        assertThat(listed(1)).isEqualTo(made);
        VolatilePage first = shard.await(volatiles().list(any -> true, 0, 100));
        assertThat(first.items()).as("no more than a slice").hasSize(STEPS);
        assertThat(first.items())
                .extracting(VolatilePage.Item::owed, VolatilePage.Item::attended)
                .containsOnly(tuple(3L, true));
        VolatilePage none = shard.await(volatiles().list(any -> false, 0, 100));
        assertThat(none.items()).isEmpty();
        assertThat(none.next())
                .as("where the list goes on")
                .isEqualTo(made.get(STEPS - 1).id());
    }

    private List<Subscription> listed(int max) {
        List<Subscription> all = new ArrayList<>();
        long after = 0;
        do {
            VolatilePage page = shard.await(volatiles().list(any -> true, after, max));
            page.items().forEach(item -> all.add(item.subscription()));
            after = page.next();
        } while (after != 0);
        return all;
    }
}

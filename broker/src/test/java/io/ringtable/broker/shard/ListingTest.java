package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.amqp.inspect.AmqpMessageCodec;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.inspect.MessagePage;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.inspect.MessageSummary;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.trace.MessageTraces;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a list of messages looks at a bounded number of them and misses none, while they move. */
class ListingTest extends SteppedQueueTest {
    private Inspector inspector;

    @BeforeEach
    void inspect() {
        inspector = new Inspector(
                shard.doors,
                () -> {
                    throw new AssertionError("a listing sends nothing");
                },
                shard.store,
                shard.dispatcher.explainer(),
                shard.dispatcher.removals(),
                shard.dispatcher.volatileMessages(),
                shard.state.ring(),
                shard.state.flushes(),
                new Texts(() -> false),
                SteppedShard::selector,
                new AmqpMessageCodec(MessageTraces.OFF),
                () -> shard.now,
                "inspector");
    }

    @AfterEach
    void end() {
        inspector.close();
    }

    private MessagePage page(Subscription subscription, String prefix, long since, int limit, long after) {
        Selector selector = prefix == null ? null : inspector.selector(prefix);
        CompletableFuture<MessagePage> page = inspector
                .browse(new MessageQuery(subscription, selector, null, since, Long.MAX_VALUE, limit, after))
                .toCompletableFuture();
        await().pollInSameThread().until(() -> {
            shard.run(); // the dispatcher tells of failures
            return page.isDone();
        });
        return page.join();
    }

    private List<Long> all(Subscription subscription, int limit) {
        List<Long> sequences = new ArrayList<>();
        for (Long after = -1L; after != null; ) {
            MessagePage page = page(subscription, null, 0, limit, after);
            page.items().stream().map(MessageSummary::sequence).forEach(sequences::add);
            after = page.next();
        }
        return sequences;
    }

    @Test
    void aListLooksAtABoundedNumberOfMessagesAndGoesOn() {
        shard.publish(queue, 0, 70_000);
        Subscription reader = shard.reader(queue);
        MessagePage first = page(reader, "69999", 0, 10, -1);
        assertThat(first.items()).as("it lies too far away").isEmpty();
        assertThat(first.next()).as("where the list goes on").isBetween(0L, 69_000L);
        List<MessageSummary> found = new ArrayList<>();
        for (Long after = first.next(); after != null; ) {
            MessagePage page = page(reader, "69999", 0, 10, after);
            found.addAll(page.items());
            after = page.next();
        }
        assertThat(found).extracting(MessageSummary::sequence).containsExactly(69_999L);
    }

    @Test
    void whatMovesBetweenTwoPagesIsListedOnce() {
        shard.publish(queue, 0, 3_000);
        Subscription reader = shard.reader(queue);
        MessagePage first = page(reader, null, 0, 1_000, -1);
        assertThat(first.items()).extracting(MessageSummary::place).containsOnly("ring");
        shard.passALap();
        List<Long> rest = new ArrayList<>();
        for (Long after = first.next(); after != null; ) {
            MessagePage page = page(reader, null, 0, 1_000, after);
            assertThat(page.items()).extracting(MessageSummary::place).allMatch("backlog"::equals);
            page.items().stream().map(MessageSummary::sequence).forEach(rest::add);
            after = page.next();
        }
        assertThat(rest).hasSize(2_000).isSorted().doesNotHaveDuplicates();
        assertThat(rest.get(0)).isGreaterThan(first.next());
    }

    @Test
    void aSubscriptionThatOwesNothingOfALargeBacklogListsNothing() {
        Address topic = shard.topic("t");
        Subscription slow = shard.subscribe(topic, "slow");
        Subscription done = shard.subscribe(topic, "done");
        shard.publish(topic, 0, 3_000);
        Reader reader = shard.attach(done, 10_000);
        shard.run();
        reader.acceptAll();
        shard.run();
        shard.passALap();
        assertThat(all(done, 100)).isEmpty();
        assertThat(all(slow, 100)).hasSize(3_000).isSorted();
    }

    @Test
    void aTimeIsFoundInTheBacklogWithoutReadingAllBeforeIt() {
        long since = 0;
        for (int i = 0; i < 20; i++) {
            shard.publish(queue, i * 1_000, (i + 1) * 1_000);
            since = i == 9 ? shard.now : since;
            shard.now += 3_600_000;
        }
        List<MessageSummary> found =
                page(shard.reader(queue), null, since, 1_000, -1).items();
        assertThat(found).hasSize(1_000);
        assertThat(found.get(0).sequence()).isEqualTo(9_000);
        assertThat(found.get(0).place()).isEqualTo("backlog");
    }

    @Test
    void failuresAreListed() {
        Reader reader = reader(1);
        shard.publish(queue, 0, 2);
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        assertThat(page(shard.reader(queue), null, 0, 10, -1).items())
                .extracting(MessageSummary::failures)
                .containsExactly(1, 0);
    }
}

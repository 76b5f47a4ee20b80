package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests that committed messages of applications reach the ring once and in order; stepped by hand. */
class InboxCollectorTest extends CollectedInbox {
    @Test
    void bringsWhatIsCommittedIntoTheRingInOrder() {
        Reader reader = shard.attach(shard.reader(queue), 100);
        IntStream.range(0, 50).forEach(i -> lay("q", Integer.toString(i)));
        collect();
        assertThat(reader.texts())
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(Integer::toString).toList());
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void aMessageSaysWhichUserOfTheDatabasePublishedIt() {
        layAs("shop", "q", "one");
        layAs("desk", "q", "two");
        layAs(null, "q", "of an earlier version");
        collect();
        Reader reader = shard.attach(shard.reader(queue), 100);
        shard.run();
        assertThat(reader.deliveries)
                .extracting(delivery -> delivery.message().login().text())
                .containsExactly(
                        "database user 'shop', through the SQL inbox",
                        "database user 'desk', through the SQL inbox",
                        "the SQL inbox");
    }

    @Test
    void moreThanAPortionComesInPortions() {
        int many = 2_500;
        IntStream.range(0, many).forEach(i -> lay("q", Integer.toString(i)));
        Reader reader = shard.attach(shard.reader(queue), many);
        collect();
        assertThat(reader.texts())
                .containsExactlyElementsOf(
                        IntStream.range(0, many).mapToObj(Integer::toString).toList());
    }

    @Test
    void aLowerIdThatBecomesVisibleLaterIsNotPassedOver() {
        ids = 10;
        lay("q", "high");
        collect();
        ids = 3;
        lay("q", "low");
        collect();
        assertThat(received(queue)).containsExactly("high", "low");
    }

    @Test
    void aFullAddressKeepsItsMessagesInOrderAndTheOthersPass() {
        restartWithQuota(2);
        Address full = shard.queue("full");
        Address free = shard.queue("free");
        IntStream.range(0, 4).forEach(i -> lay("full", "full " + i));
        lay("free", "passes");
        collect();
        assertThat(received(free)).containsExactly("passes");
        assertThat(shard.store.inbox.values())
                .extracting(row -> ((InboxMessage) row).address())
                .containsExactly("full", "full");
        int reads = shard.store.inboxReads;
        lay("full", "full 4");
        collect();
        assertThat(shard.store.inboxReads).isGreaterThan(reads);
        assertThat(shard.store.inbox).hasSize(3);
        Reader reader = shard.attach(shard.reader(full), 100);
        for (int i = 0; i < 5; i++) {
            shard.run();
            reader.acceptAll();
            collect();
        }
        assertThat(reader.texts()).containsExactly("full 0", "full 1", "full 2", "full 3", "full 4");
        assertThat(full.quota().messages()).isZero();
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void anUnknownAddressIsCreatedAsItsPublisherSaid() {
        lay("new", null, "a");
        lay("news", AddressKind.TOPIC, "b");
        lay("q", "c");
        collect();
        assertThat(shard.address("new").isQueue()).isTrue();
        assertThat(shard.address("news").isQueue()).isFalse();
        assertThat(received(shard.address("new"))).containsExactly("a");
        assertThat(received(queue)).containsExactly("c");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void whatMayNotBeCreatedGoesToTheDeadLetterQueueWithItsReason() {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        AddressPolicy never = new AddressPolicy(Set.of(), AddressKind.QUEUE, 3, "DLQ", "", 0, 1, 0, false);
        restartWith(new AddressPolicies(List.of(new AddressPolicies.Rule("q", plain)), never), 1_000);
        queue = shard.address("q");
        lay("unknown", "a");
        lay("unknown", "b");
        lay("q", "c");
        collect();
        assertThat(received(queue)).containsExactly("c");
        assertThat(received(shard.address("DLQ")))
                .hasSize(2)
                .allSatisfy(letter -> assertThat(letter).contains("|RT-2012 there is no queue 'unknown'"));
    }

    @Test
    void theOtherKindOfAddressIsADeadLetterAndNoMessageWaitsForIt() {
        lay("q", AddressKind.TOPIC, "a");
        lay("q", AddressKind.QUEUE, "b");
        collect();
        assertThat(received(queue)).containsExactly("b");
        assertThat(received(shard.address("DLQ")).get(0)).startsWith("a|RT-2011");
    }

    @Test
    void aLargeBodyIsStagedFirst() {
        String large = "x".repeat(200_000);
        lay("q", "a");
        lay("q", large);
        lay("q", "c");
        Reader reader = shard.attach(shard.reader(queue), 10);
        Awaitility.await()
                .pollInSameThread()
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(() -> {
                    collect();
                    return reader.deliveries.size() == 3;
                });
        assertThat(reader.texts()).containsExactly("a", large, "c");
    }

    @Test
    void looksEveryMillisecondWhileMessagesComeAndEveryFiveWhileNoneDo() {
        collect();
        assertThat(looksWithin(100)).as("idle").isBetween(15, 21);
        lay("q", "a");
        collectFor(1);
        assertThat(collector.restNanos()).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS));
    }

    private int looksWithin(int ms) {
        int before = shard.store.inboxReads;
        collectFor(ms);
        return shard.store.inboxReads - before;
    }

    @Test
    void handsInNothingOnceItIsStopped() {
        collector.stop();
        lay("q", "a");
        collect();
        assertThat(shard.store.inbox).hasSize(1);
        assertThat(shard.store.inboxReads).isZero();
    }
}

package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a message which an application settles in its own transaction is settled once, wherever it lies by then.
 */
class InboxSettlingTest extends CollectedInbox {
    @Test
    void whatAnApplicationHasSettledDoesNotComeAgain() {
        shard.publish(queue, 0, 3);
        Reader first = shard.attach(shard.reader(queue), 100);
        shard.run();
        settle(1);
        collect();
        first.detach(true);
        assertThat(received(queue)).containsExactly("0", "2");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void norIfItsConsumerReleasesItAfterwardsOrSaysThatItFailed() {
        shard.publish(queue, 0, 3);
        Reader first = shard.attach(shard.reader(queue), 100);
        shard.run();
        settle(0);
        settle(1);
        collect();
        first.release(first.deliveries.get(0));
        first.modify(first.deliveries.get(1), true, false);
        shard.run();
        assertThat(first.texts()).containsExactly("0", "1", "2");
        shard.crashAndRestart();
        begin();
        assertThat(received(queue)).containsExactly("2");
    }

    @Test
    void norIfItWentBackBefore() {
        shard.publish(queue, 0, 3);
        Reader first = shard.attach(shard.reader(queue), 3);
        shard.run();
        first.detach(true); // to the store
        settle(0);
        collect();
        Reader second = shard.attach(shard.reader(queue), 1);
        shard.run();
        assertThat(second.texts()).containsExactly("1");
        second.credit(0).modify(second.deliveries.get(0), true, false); // to memory
        settle(1);
        collect();
        second.credit(100);
        shard.run();
        assertThat(second.texts()).containsExactly("1", "2");
    }

    @Test
    void isSettledOnceWhenItsConsumerAcceptsItAsWell() {
        shard.publish(queue, 0, 4);
        Reader reader = shard.attach(shard.reader(queue), 100);
        shard.run();
        Outcome before = reader.accept(reader.deliveries.get(0));
        settle(0);
        settle(1);
        collect();
        Outcome after = reader.accept(reader.deliveries.get(1));
        settle(2);
        step(); // handed in, not yet flushed
        Outcome beside = reader.accept(reader.deliveries.get(2));
        collect();
        assertThat(List.of(before, after, beside)).allMatch(outcome -> outcome.accepted);
        assertThat(shard.entry(shard.reader(queue)).owedInRing()).isEqualTo(1);
        assertThat(queue.quota().messages()).isEqualTo(1);
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void isFoundWhereItHasMovedSinceItWasRead() {
        int capacity = shard.state.ring().geometry().capacity();
        shard.publish(queue, 0, capacity);
        long gate = shard.state.ring().gate();
        Message[] more = IntStream.range(0, capacity / 2)
                .mapToObj(i -> shard.message(queue, SteppedShard.bytes("more " + i)))
                .toArray(Message[]::new);
        shard.submit(more); // more than there is room for: the gate has to be raised
        settle(gate);
        step(); // read while it lies in the ring, handed in behind them
        shard.run();
        assertThat(shard.state.ring().gate()).isGreaterThan(gate);
        assertThat(shard.store.inbox).hasSize(1);
        collect();
        assertThat(shard.store.inbox).isEmpty();
        Reader reader = shard.attach(shard.reader(queue), 2 * capacity);
        shard.run();
        assertThat(reader.deliveries).hasSize(capacity + more.length - 1).noneMatch(each -> each.sequence() == gate);
        assertThat(queue.quota().messages()).isEqualTo(capacity + more.length - 1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aSettlementWhoseFlushFailedIsMadeAgain(Kind kind) {
        shard.publish(queue, 0, 2);
        failOnce("flush", kind == Kind.OUTCOME_UNKNOWN ? Fault.after(kind) : Fault.before(kind));
        settle(0);
        collect();
        assertThat(shard.store.inbox).isEmpty();
        shard.crashAndRestart();
        begin();
        assertThat(received(shard.address("q"))).containsExactly("1");
    }

    @Test
    void aSettlementOfWhatWasNeverOwedIsDroppedAndChangesNothing() {
        shard.queue("other");
        shard.publish(shard.address("other"), 0, 1); // sequence 0 is not the reader's
        settle(0);
        settle(1_000_000);
        shard.store.inbox.put(ids, new InboxSettlement(ids++, 1, 4711, 0, Place.NOWHERE, 0, 0, 0, 0));
        collect();
        assertThat(shard.store.inbox).isEmpty();
        assertThat(received(shard.address("other"))).containsExactly("0");
    }
}

package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What applications settle in their own transactions is settled once, wherever it lies by then. */
class InboxSettlingTest extends CollectedInbox {
    @Test
    void whatAnApplicationHasSettledDoesNotComeAgain() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 100);
        engine.run();
        settle(1);
        collect();
        first.detach(true);
        assertThat(received(queue)).containsExactly("0", "2");
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void norIfItsConsumerReleasesItAfterwardsOrSaysThatItFailed() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 100);
        engine.run();
        settle(0);
        settle(1);
        collect();
        first.release(first.deliveries.get(0));
        first.modify(first.deliveries.get(1), true, false);
        engine.run();
        assertThat(first.texts()).containsExactly("0", "1", "2");
        engine.crashAndRestart();
        begin();
        assertThat(received(queue)).containsExactly("2");
    }

    @Test
    void norIfItWentBackBefore() {
        engine.publish(queue, 0, 3);
        Reader first = engine.attach(engine.reader(queue), 3);
        engine.run();
        first.detach(true); // to the store
        settle(0);
        collect();
        Reader second = engine.attach(engine.reader(queue), 1);
        engine.run();
        assertThat(second.texts()).containsExactly("1");
        second.credit(0).modify(second.deliveries.get(0), true, false); // to memory
        settle(1);
        collect();
        second.credit(100);
        engine.run();
        assertThat(second.texts()).containsExactly("1", "2");
    }

    @Test
    void isSettledOnceWhenItsConsumerAcceptsItAsWell() {
        engine.publish(queue, 0, 4);
        Reader reader = engine.attach(engine.reader(queue), 100);
        engine.run();
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
        assertThat(engine.entry(engine.reader(queue)).owedInRing()).isEqualTo(1);
        assertThat(queue.quota().messages()).isEqualTo(1);
        assertThat(engine.store.inbox).isEmpty();
    }

    @Test
    void isFoundWhereItHasMovedSinceItWasRead() {
        int capacity = engine.state.ring().geometry().capacity();
        engine.publish(queue, 0, capacity);
        long gate = engine.state.ring().gate();
        Message[] more = IntStream.range(0, capacity / 2)
                .mapToObj(i -> engine.message(queue, SteppedEngine.bytes("more " + i)))
                .toArray(Message[]::new);
        engine.submit(more); // more than there is room for: the gate has to be raised
        settle(gate);
        step(); // read while it lies in the ring, handed in behind them
        engine.run();
        assertThat(engine.state.ring().gate()).isGreaterThan(gate);
        assertThat(engine.store.inbox).hasSize(1);
        collect();
        assertThat(engine.store.inbox).isEmpty();
        Reader reader = engine.attach(engine.reader(queue), 2 * capacity);
        engine.run();
        assertThat(reader.deliveries).hasSize(capacity + more.length - 1).noneMatch(each -> each.sequence() == gate);
        assertThat(queue.quota().messages()).isEqualTo(capacity + more.length - 1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aSettlementWhoseFlushFailedIsMadeAgain(Kind kind) {
        engine.publish(queue, 0, 2);
        failOnce("flush", kind == Kind.OUTCOME_UNKNOWN ? Fault.after(kind) : Fault.before(kind));
        settle(0);
        collect();
        assertThat(engine.store.inbox).isEmpty();
        engine.crashAndRestart();
        begin();
        assertThat(received(engine.address("q"))).containsExactly("1");
    }

    @Test
    void aSettlementOfWhatWasNeverOwedIsDroppedAndChangesNothing() {
        engine.queue("other");
        engine.publish(engine.address("other"), 0, 1); // sequence 0 is not the reader's
        settle(0);
        settle(1_000_000);
        engine.store.inbox.put(ids, new InboxSettlement(ids++, 1, 4711, 0, Place.NOWHERE, 0, 0, 0, 0));
        collect();
        assertThat(engine.store.inbox).isEmpty();
        assertThat(received(engine.address("other"))).containsExactly("0");
    }
}

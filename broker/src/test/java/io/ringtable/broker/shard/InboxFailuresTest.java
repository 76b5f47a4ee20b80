package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.agent.RetriedAgent;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the collector while the store, the encoder or the broker fails: nothing is lost, nothing comes twice. */
class InboxFailuresTest extends CollectedInbox {
    @Test
    void aRowThatTheEncoderFailsAtIsADeadLetterAndTheOthersComeThrough() {
        lay("q", "a");
        lay("q", "exception");
        lay("q", "overflow");
        lay("q", "b");
        collect();
        assertThat(received(queue)).containsExactly("a", "b");
        assertThat(received(shard.queue("DLQ")))
                .hasSize(2)
                .allSatisfy(letter -> assertThat(letter).contains("RT-2314"));
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void goesOnAfterAnErrorWithNothingLostOrTwiceAndNoPlaceKept() {
        PlainEncoder.errorsLeft = 3;
        RetriedAgent retried = new RetriedAgent(collector, () -> nanos);
        lay("q", "a");
        lay("q", "error");
        for (int i = 0; i < 2_000; i++) {
            nanos += 1_000_000;
            shard.run();
            retried.doWork();
            assertThat(PlainEncoder.errorsLeft > 0 && i > 300 && retried.trouble() == null)
                    .isFalse();
        }
        assertThat(retried.trouble()).contains("RT-2310", "inbox-collector", "3 times", "OutOfMemoryError");
        assertThat(received(queue)).containsExactly("a", "error");
        assertThat(queue.quota().messages()).isEqualTo(2);
        nanos += TimeUnit.MINUTES.toNanos(2);
        retried.doWork();
        assertThat(retried.trouble()).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aFlushThatDidNotHappenIsMadeAgain(Kind kind) {
        failOnce("flush", Fault.before(kind));
        lay("q", "a");
        collect();
        assertThat(received(queue)).containsExactly("a");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void aFlushWhoseAnswerWasLostIsNotMadeTwice() {
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        lay("q", "a");
        collect();
        assertThat(shard.state.ring().next()).isEqualTo(1);
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aLostAnswerToWhatNobodyOwesStopsNothing() {
        shard.topic("t");
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        lay("t", "nobody reads it");
        collect();
        lay("q", "a");
        collect();
        assertThat(shard.store.inbox).isEmpty();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aCrashBetweenLookAndFlushLosesNothingAndRepeatsNothing() {
        lay("q", "a");
        step(); // read and handed in, not flushed
        shard.crashAndRestart();
        begin();
        collect();
        assertThat(received(shard.address("q"))).containsExactly("a");
    }

    @Test
    void aCrashAfterTheFlushRepeatsNothing() {
        lay("q", "a");
        shard.store.plan = (verb, flush) -> verb.equals("flush") ? Fault.crash(true) : null;
        step();
        try {
            shard.commitTurn();
        } catch (FaultyStore.Crash crashed) {
            // the process is gone
        }
        shard.crashAndRestart();
        begin();
        collect();
        assertThat(received(shard.address("q"))).containsExactly("a");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void aRowThatTheDatabaseRefusesIsFoundAndTheOthersGoOnInOrder() {
        shard.queue("DLQ");
        IntStream.range(0, 9).forEach(i -> lay("q", i == 5 ? "bad" : Integer.toString(i)));
        shard.store.plan = (verb, flush) -> {
            if (verb.equals("flush") && claims(flush, "bad")) {
                throw new StoreFailure(Kind.REFUSED, "RT-3011", "it is bad");
            }
            return null;
        };
        collect();
        assertThat(received(queue)).containsExactly("0", "1", "2", "3", "4", "6", "7", "8");
        assertThat(received(shard.address("DLQ")).get(0)).startsWith("bad|RT-3011");
        assertThat(shard.store.inbox).isEmpty();
    }

    private static boolean claims(Flush flush, String body) {
        return flush.claims().stream().anyMatch(claim -> Arrays.equals(claim.body(), SteppedShard.bytes(body)));
    }

    @Test
    void aStoreThatTakesNoWritesKeepsEverythingInTheInbox() {
        lay("q", "a");
        lay("q", "b");
        shard.store.plan = (verb, flush) -> verb.equals("flush") ? Fault.before(Kind.NOT_WRITABLE) : null;
        collect();
        assertThat(shard.store.inbox).hasSize(2);
        assertThat(queue.quota().messages()).as("places came back").isZero();
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        collect();
        assertThat(received(queue)).containsExactly("a", "b");
    }

    @Test
    void anInboxThatCannotBeReadIsAskedAgain() {
        lay("q", "a");
        failOnce("readInbox", Fault.before(Kind.UNAVAILABLE));
        collect();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void whatCannotBeEncodedIsADeadLetter() {
        lay("q", "unreadable");
        lay("q", "b");
        collect();
        assertThat(received(queue)).containsExactly("b");
        assertThat(received(shard.address("DLQ"))).containsExactly("unreadable|RT-0001 no message");
    }
}

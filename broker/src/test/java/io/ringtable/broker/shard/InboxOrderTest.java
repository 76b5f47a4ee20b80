package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that later messages of an address stay in the inbox while earlier ones are on their way to a shard that it has
 * left. The test has the other shards in its hands: what is passed on to them lies there until the test takes it.
 */
class InboxOrderTest extends CollectedInbox {
    private static final int OLD = Homes.ELSEWHERE;
    private static final int NEXT = 6;

    private final Map<Long, InboxRow> old = new TreeMap<>();
    private final Map<Long, InboxRow> next = new TreeMap<>();

    @BeforeEach
    void begun() {
        shard.store.neighbours.put(0, shard.store.inbox);
        shard.store.neighbours.put(OLD, old);
        shard.store.neighbours.put(NEXT, next);
    }

    @Test
    void laterMessagesWaitForThoseThatTheOldHomeHasAndOthersPass() {
        passOnToTheOldHome();
        homes.elsewhere("far", NEXT);
        homes.elsewhere("other", NEXT);
        lay("far", "b");
        lay("q", "near");
        lay("other", "o");
        lay("far", "c");
        collectFor(100);
        assertThat(received(queue)).containsExactly("near");
        assertThat(texts(next)).containsExactly("o");
        next.putAll(old);
        old.clear();
        collect();
        assertThat(texts(next)).containsExactly("a", "b", "o", "c");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void whatComesBackFromTheOldHomeIsClaimedFirst() {
        passOnToTheOldHome();
        homes.elsewhere.clear();
        shard.queue("far"); // it has moved here
        lay("far", "b");
        collectFor(100);
        assertThat(shard.store.inbox).hasSize(1);
        shard.store.inbox.putAll(old);
        old.clear();
        collect();
        lay("far", "c");
        collectFor(10);
        assertThat(received(shard.address("far"))).containsExactly("a", "b", "c");
    }

    @Test
    void aShardOnTheWayThatIsNeitherTheOldHomeNorTheNextIsWaitedForAsWell() {
        passOnToTheOldHome();
        Map<Long, InboxRow> third = new TreeMap<>(old);
        shard.store.neighbours.put(7, third); // the old home has passed it on, and the queue has moved once more
        old.clear();
        homes.elsewhere("far", NEXT);
        lay("far", "b");
        collectFor(100);
        assertThat(next).isEmpty();
        third.clear();
        collect();
        assertThat(texts(next)).containsExactly("b");
    }

    @Test
    void aNewOwnerKnowsWhatIsOnItsWay() {
        passOnToTheOldHome();
        homes.elsewhere("far", NEXT);
        shard.crashAndRestart();
        begin(); // another collector
        lay("far", "b");
        collectFor(100);
        assertThat(next).isEmpty();
        old.clear();
        collect();
        assertThat(texts(next)).containsExactly("b");
    }

    @Test
    void aQueueThatMovesInTheMiddleOfALookHasItsMessagesInOrder() {
        homes.afterFind = () -> {
            queue.quota().close();
            homes.elsewhere("q", NEXT);
        };
        lay("q", "a");
        lay("q", "b");
        collect();
        assertThat(texts(next)).containsExactly("a", "b");
        assertThat(homes.passedOn).extracting(InboxMessage::id).containsExactly(0L, 1L);
    }

    @Test
    void anAddressThatStaysWaitsForNothing() {
        passOnToTheOldHome();
        lay("far", "b");
        collectFor(10);
        assertThat(texts(old)).containsExactly("a", "b");
    }

    @Test
    void aShardThatKeepsItsMessagesForAMinuteIsWaitedForNoMore() {
        passOnToTheOldHome();
        homes.elsewhere("far", NEXT);
        lay("far", "b");
        collectSeconds(55);
        assertThat(next).isEmpty();
        collectSeconds(10);
        assertThat(texts(next)).containsExactly("b");
        assertThat(texts(old)).containsExactly("a");
    }

    @Test
    void timeWithoutAnAnswerOfTheStoreDoesNotCount() {
        passOnToTheOldHome();
        homes.elsewhere("far", NEXT);
        lay("far", "b");
        shard.store.plan = (verb, flush) -> verb.equals("readPassedOn") ? Fault.before(Kind.UNAVAILABLE) : null;
        collectSeconds(100);
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        collectSeconds(5);
        assertThat(next).isEmpty();
        old.clear();
        collect();
        assertThat(texts(next)).containsExactly("b");
    }

    @Test
    void aCallWhoseAnswerWasLostMayHaveMovedMessages() {
        homes.elsewhere("far", OLD);
        lay("far", "a");
        failOnce("passOn", Fault.before(Kind.OUTCOME_UNKNOWN));
        collectFor(1);
        homes.elsewhere("far", NEXT);
        lay("far", "b");
        old.put(0L, shard.store.inbox.remove(0L)); // the call comes late
        collectFor(1_000);
        assertThat(next).isEmpty();
        old.clear();
        collect();
        assertThat(texts(next)).containsExactly("b");
    }

    @Test
    void aQueueBetweenTwoHomesHoldsNothingElseUp() {
        queue.quota().close(); // it moves, and the next home does not have it yet
        homes.elsewhere("far", OLD);
        shard.queue("q2");
        lay("q", "a");
        lay("far", "b");
        lay("q2", "c");
        collectFor(10);
        assertThat(texts(old)).containsExactly("b");
        assertThat(received(shard.address("q2"))).containsExactly("c");
        queue.quota().reopen();
        collect();
        assertThat(received(queue)).containsExactly("a");
    }

    private void passOnToTheOldHome() {
        homes.elsewhere("far", OLD);
        lay("far", "a");
        collectFor(10);
        assertThat(texts(old)).containsExactly("a");
    }

    private void collectSeconds(int seconds) {
        for (int i = 0; i < 4 * seconds; i++) {
            nanos += TimeUnit.MILLISECONDS.toNanos(249);
            collectFor(1);
        }
    }

    private static List<String> texts(Map<Long, InboxRow> rows) {
        return rows.values().stream()
                .map(row -> new String(((InboxMessage) row).body(), StandardCharsets.UTF_8))
                .toList();
    }
}

package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that messages for addresses of another shard leave the inbox for it, each once and in order. */
class InboxPassingTest extends CollectedInbox {
    @Test
    void passesOnWhatLivesElsewhereAndClaimsTheRest() {
        homes.elsewhere("far");
        for (int i = 0; i < 4; i++) {
            lay("far", "far " + i);
            lay("q", "near " + i);
        }
        collect();
        assertThat(received(queue)).containsExactly("near 0", "near 1", "near 2", "near 3");
        assertThat(passedOn()).containsExactly("far 0", "far 1", "far 2", "far 3");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void aNewAddressIsCreatedWhereItsPublisherWouldHaveIt() {
        homes.createdElsewhere.add("new");
        lay("new", "a");
        lay("new", "b");
        collect();
        assertThat(passedOn()).containsExactly("a", "b");
        assertThat(shard.doors.lookup().find("new")).isNull();
    }

    @Test
    void moreThanAPortionIsPassedOnInPortions() {
        homes.elsewhere("far");
        List<String> texts =
                IntStream.range(0, 2_500).mapToObj(Integer::toString).toList();
        texts.forEach(text -> lay("far", text));
        collectFor(20);
        assertThat(passedOn()).containsExactlyElementsOf(texts);
    }

    @Test
    void aFullAddressHereKeepsNothingBack() {
        restartWithQuota(1);
        Address full = shard.queue("full");
        homes.elsewhere("far");
        lay("full", "fits");
        lay("full", "waits");
        lay("far", "a");
        collect();
        assertThat(full.quota().messages()).isEqualTo(1);
        assertThat(passedOn()).containsExactly("a");
        assertThat(shard.store.inbox).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"UNAVAILABLE, false", "OUTCOME_UNKNOWN, false", "OUTCOME_UNKNOWN, true", "NOT_WRITABLE, false"})
    void afterAFailureEachIsPassedOnOnceAndTheOthersDidNotWait(Kind kind, boolean after) {
        homes.elsewhere("far");
        lay("far", "a");
        lay("q", "near");
        lay("far", "b");
        failOnce("passOn", new Fault(kind, after));
        collectFor(1);
        assertThat(received(queue)).containsExactly("near");
        if (after) {
            assertThat(shard.store.inbox)
                    .as("rows have gone, although nobody heard of it")
                    .isEmpty();
            return;
        }
        assertThat(passedOn()).isEmpty();
        collect();
        assertThat(passedOn()).containsExactly("a", "b");
        assertThat(shard.store.inbox).isEmpty();
    }

    @Test
    void aRowThatIsGoneIsLeftToTheNextLook() {
        homes.elsewhere("far");
        lay("far", "a");
        lay("far", "b");
        failOnce("passOn", null, () -> shard.store.inbox.remove(0L)); // by hand, between look and call
        collect();
        assertThat(passedOn()).containsExactly("b");
    }

    @Test
    void rowsThatArePassedOnToThisShardAreLookedAtAtOnce() {
        collectFor(100);
        collector.doWork();
        lay("q", "a");
        assertThat(collector.doWork()).as("the next look is some ms away").isZero();
        collector.lookNow();
        assertThat(collector.doWork()).isEqualTo(1); // no time has passed
        shard.run();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aDeadLetterStaysInTheShardWhereItDied() {
        homes.elsewhere("DLQ"); // each shard has a part of it
        lay("q", "unreadable");
        collect();
        assertThat(received(shard.address("DLQ"))).containsExactly("unreadable|RT-0001 no message");
        assertThat(passedOn()).isEmpty();
    }

    /** Publishes in any order over addresses here and elsewhere, with failures: each address gets its own in order. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void orderOfAnAddressSurvivesFailures(long seed) {
        Random random = new Random(seed);
        List<String> names = List.of("q", "far 1", "far 2", "new 1", "new 2");
        names.stream().filter(name -> name.startsWith("far")).forEach(homes::elsewhere);
        names.stream().filter(name -> name.startsWith("new")).forEach(homes.createdElsewhere::add);
        shard.store.plan = (verb, flush) -> {
            if (random.nextInt(4) > 0
                    || !List.of("passOn", "flush", "readInbox").contains(verb)) {
                return null;
            }
            // of a move or a look no answer but the rows themselves counts
            return verb.equals("flush") ? Fault.before(Kind.RETRYABLE) : Fault.before(Kind.UNAVAILABLE);
        };
        int[] laid = new int[names.size()];
        for (int i = 0; i < 400; i++) {
            int to = random.nextInt(names.size());
            lay(names.get(to), names.get(to) + " no " + laid[to]++);
            if (random.nextInt(10) == 0) {
                collectFor(random.nextInt(300));
            }
        }
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        collect();
        List<String> got = new ArrayList<>(passedOn());
        got.addAll(received(queue));
        for (int to = 0; to < names.size(); to++) {
            String name = names.get(to);
            assertThat(got.stream().filter(text -> text.startsWith(name + " no ")))
                    .as(name)
                    .containsExactlyElementsOf(IntStream.range(0, laid[to])
                            .mapToObj(number -> name + " no " + number)
                            .toList());
        }
        assertThat(shard.store.inbox).isEmpty();
    }

    private List<String> passedOn() {
        return homes.passedOn.stream()
                .map(InboxMessage::body)
                .map(body -> new String(body, StandardCharsets.UTF_8))
                .toList();
    }
}

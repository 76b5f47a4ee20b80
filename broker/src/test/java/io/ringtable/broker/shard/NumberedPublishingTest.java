package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.Deduplication;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A producer's message that is sent again is accepted and not stored again; on a real SQLite file, stepped by hand. */
class NumberedPublishingTest extends SteppedQueueTest {
    private final List<String> fenced = new ArrayList<>();

    @Test
    void aMessageSentAgainIsAcceptedAndNotStoredAgain() {
        Producer producer = attend("p", 0);
        send(producer, 1, 0, "one");
        shard.run();
        long next = shard.state.ring().next();
        Outcome again = send(producer, 1, 0, "one");
        shard.store.calls.clear();
        shard.run();
        assertThat(again.accepted).isTrue();
        assertThat(shard.store.calls).as("nothing is written").isEmpty();
        assertThat(shard.state.ring().next()).isEqualTo(next);
        assertThat(received()).containsExactly("one");
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void numberAndMessageAreOneFlush() {
        Producer producer = attend("p", 0);
        shard.store.recordFlushes = true;
        send(producer, 1, 0, "one", "two", "three");
        shard.store.calls.clear();
        shard.run();
        assertThat(shard.store.calls).containsExactly("flush");
        Flush flush = shard.store.flushes.get(shard.store.flushes.size() - 1);
        assertThat(flush.claims()).hasSize(3);
        assertThat(flush.producers()).containsExactly(new Flush.Produced(producer.id(), 3, shard.now));
    }

    @Test
    void aDuplicateOfTheSameFlushWaitsForItsOutcome() {
        Producer producer = attend("p", 0);
        Outcome first = send(producer, 1, 0, "one");
        Outcome again = send(producer, 1, 0, "one");
        shard.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        shard.commitTurn();
        assertThat(first.refusal).as("its original").isNotNull();
        assertThat(again.refusal).as("nothing of it is stored").isNotNull();
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        Outcome third = send(producer, 1, 0, "one");
        shard.run();
        assertThat(third.accepted).isTrue();
        assertThat(received()).containsExactly("one");
    }

    @Test
    void aDuplicateTakesThePlaceOfAnOriginalThatTheDatabaseRefuses() {
        Producer producer = attend("p", 0);
        shard.store.plan =
                (verb, flush) -> flush != null && texts(flush).contains("poison") ? Fault.before(Kind.REFUSED) : null;
        Outcome original = send(producer, 1, 0, "poison");
        Outcome again = send(producer, 1, 0, "cured");
        shard.run();
        assertThat(original.refusal).isNotNull();
        assertThat(again.accepted).isTrue();
        assertThat(received()).containsExactly("cured");
    }

    @Test
    void whatFollowsARefusedMessageWaitsUntilTheProducerKnows() {
        Producer producer = attend("p", 0);
        shard.store.plan =
                (verb, flush) -> flush != null && texts(flush).contains("poison") ? Fault.before(Kind.REFUSED) : null;
        Outcome refused = send(producer, 1, 0, "poison");
        Outcome behind = send(producer, 2, 1, "two");
        shard.run();
        assertThat(refused.refusal.reason()).isEqualTo(Refusal.Reason.LIMIT);
        assertThat(behind.refusal.reason()).isEqualTo(Refusal.Reason.OUT_OF_ORDER);
        assertThat(behind.refusal.code()).isEqualTo("RT-4107");
        Outcome after = send(producer, 2, 0, "two");
        shard.run();
        assertThat(after.accepted).isTrue();
        assertThat(attend("p", 0).lastNumber()).isEqualTo(2);
        assertThat(received()).containsExactly("two");
    }

    @Test
    void ofABatchThatIsStoredInPartTheRestIsStored() {
        Producer producer = attend("p", 0);
        send(producer, 1, 0, "one", "two");
        shard.run();
        Outcome more = send(producer, 1, 0, "one", "two", "three", "four");
        shard.run();
        assertThat(more.accepted).isTrue();
        assertThat(received()).containsExactly("one", "two", "three", "four");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE"})
    void aFlushWhoseOutcomeIsUnknownIsReadFromTheTables(Kind kind) {
        Producer producer = attend("p", 0);
        failOnce("flush", Fault.after(kind));
        Outcome stored = send(producer, 1, 0, "one");
        shard.run();
        failOnce("flush", Fault.before(kind));
        Outcome made = send(producer, 2, 1, "two");
        shard.run();
        assertThat(stored.accepted && made.accepted).isTrue();
        assertThat(received()).containsExactly("one", "two");
        shard.crashAndRestart();
        assertThat(attend("p", 0).lastNumber()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE"})
    void soIsOneWhoseMessagesNobodyOwes(Kind kind) {
        Address topic = shard.topic("t");
        Producer producer = shard.attend(topic, "p", 0, () -> {});
        for (Fault fault : List.of(Fault.after(kind), Fault.before(kind))) {
            failOnce("flush", fault);
            Outcome outcome = shard.submit(
                    new Deduplication(producer, 1, 0, List.of()), shard.message(topic, SteppedShard.bytes("x")));
            shard.run();
            assertThat(outcome.accepted).isTrue();
        }
        assertThat(topic.quota().messages()).isZero();
        shard.crashAndRestart();
        assertThat(shard.attend(shard.address("t"), "p", 0, () -> {}).lastNumber())
                .isEqualTo(1);
    }

    @Test
    void theNumberSurvivesACrashAndAStop() {
        Producer producer = attend("p", 0);
        send(producer, 1, 0, "one", "two");
        shard.run();
        shard.crashAndRestart();
        Producer after = attend("p", producer.incarnation());
        assertThat(after.lastNumber()).isEqualTo(2);
        send(after, 3, 2, "three");
        shard.run();
        shard.stopAndRestart();
        assertThat(attend("p", 0).lastNumber()).isEqualTo(3);
    }

    @Test
    void aMessageThatNeverReachedTheFlushIsStoredAfterTheCrash() {
        Producer producer = attend("p", 0);
        Outcome lost = send(producer, 1, 0, "one");
        shard.crashAndRestart();
        assertThat(lost.accepted).isFalse();
        Producer after = attend("p", producer.incarnation());
        assertThat(after.lastNumber()).isZero();
        send(after, 1, 0, "one");
        shard.run();
        assertThat(received()).containsExactly("one");
    }

    @Test
    void theBodyOfALargeDuplicateDoesNotStayInOverflow() {
        Producer producer = attend("p", 0);
        String large = "x".repeat(100_000);
        send(producer, 1, 0, large);
        shard.run();
        send(producer, 1, 0, large);
        shard.run();
        assertThat(received()).containsExactly(large);
        shard.stopAndRestart(); // the stager has done its work
        assertThat(shard.store.orphanedBodies()).isEmpty();
    }

    @Test
    void whoOpensAProducerFencesItsPredecessor() {
        Producer first = attend("p", 0);
        send(first, 1, 0, "one");
        shard.run();
        Outcome underWay = send(first, 2, 1, "two"); // reaches the committer after the request below
        Producer second = attend("p", 0);
        assertThat(fenced).containsExactly("p/0");
        assertThat(underWay.refusal.code()).isEqualTo("RT-4101");
        assertThat(second.incarnation()).isEqualTo(first.incarnation() + 1);
        assertThat(second.lastNumber())
                .as("final: nothing of the first one comes after it")
                .isEqualTo(1);
        Outcome late = send(first, 2, 1, "two");
        Outcome its = send(second, 2, 1, "new two");
        shard.run();
        assertThat(late.refusal.code()).isEqualTo("RT-4101");
        assertThat(its.accepted).isTrue();
        assertThat(received()).containsExactly("one", "new two");
    }

    @Test
    void aPublisherThatComesBackUnderAnOldIncarnationIsRefusedAlsoAfterACrash() {
        Producer first = attend("p", 0);
        attend("p", 0);
        assertRefused("RT-4101", "p", first.incarnation());
        shard.crashAndRestart();
        assertRefused("RT-4101", "p", first.incarnation());
        assertThat(attend("p", first.incarnation() + 1).incarnation()).isEqualTo(first.incarnation() + 1);
    }

    @Test
    void anIncarnationThatWasNeverGivenIsRefused() {
        assertRefused("RT-4105", "unknown", 1);
        Producer producer = attend("p", 0);
        assertRefused("RT-4105", "p", producer.incarnation() + 1);
    }

    @Test
    void theSamePublisherMayComeBackWhileItsOldLinkIsStillThere() {
        Producer before = attend("p", 0);
        send(before, 1, 0, "one");
        Producer after = attend("p", before.incarnation());
        assertThat(after.incarnation()).isEqualTo(before.incarnation());
        assertThat(fenced).hasSize(1);
        shard.run();
        Producer again = attend("p", before.incarnation());
        Outcome outcome = send(again, 1, 0, "one");
        shard.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(received()).containsExactly("one");
    }

    @Test
    void producersOfTwoAddressesHaveNothingInCommonButTheName() {
        Address other = shard.queue("other");
        Producer here = attend("p", 0);
        Producer there = shard.attend(other, "p", 0, () -> {});
        send(here, 1, 0, "one");
        Outcome outcome = shard.submit(
                new Deduplication(there, 1, 0, List.of()), shard.message(other, SteppedShard.bytes("one")));
        shard.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(fenced).isEmpty();
        assertThat(other.quota().messages()).isEqualTo(1);
    }

    @Test
    void aTemporaryAddressHasNoProducer() {
        Address temporary = shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        assertThatThrownBy(() -> shard.attend(temporary, "p", 0, () -> {}))
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("RT-4103");
    }

    @Test
    void atTheBoundThoseThatNobodyUsesMakeRoom() {
        shard.close();
        shard = new SteppedShard(directory);
        shard.commit = SteppedSettings.commit(100, 2, Duration.ZERO);
        shard.open();
        queue = shard.address("q");
        Producer first = attend("first", 0);
        attend("second", 0);
        assertThatThrownBy(() -> attend("third", 0)).hasMessageContaining("RT-4102");
        shard.doors.catalog().leave(first);
        attend("third", 0);
        shard.crashAndRestart();
        queue = shard.address("q");
        assertRefused("RT-4105", "first", first.incarnation());
        assertThat(attend("second", 0).incarnation()).isEqualTo(2);
    }

    @Test
    void atTheBoundThoseThatWereUsedLatelyStay() {
        for (int i = 0; i < shard.commit.producersMax(); i++) {
            shard.doors.catalog().leave(attend("p" + i, 0));
        }
        assertThatThrownBy(() -> attend("one more", 0)).hasMessageContaining("RT-4102");
    }

    @Test
    void oneOwnerMakesHalfOfTheProducersAndTheNextOneFindsRoom() {
        int half = shard.commit.producersMax() / 2;
        for (int i = 0; i < half; i++) {
            shard.doors.catalog().leave(ownedBy("greedy", "p" + i));
        }
        assertThatThrownBy(() -> ownedBy("greedy", "one more"))
                .hasMessageContaining("RT-4102 greedy has made " + half + " producers");
        assertThat(ownedBy("greedy", "p0").incarnation())
                .as("of one that is there")
                .isEqualTo(2);
        assertThat(ownedBy("honest", "another").incarnation()).isEqualTo(1);
    }

    private Producer ownedBy(String owner, String name) {
        return shard.await(shard.doors.catalog().attend(queue, name, 0, owner, () -> {}));
    }

    private Producer attend(String name, long incarnation) {
        return shard.attend(shard.address("q"), name, incarnation, () -> fenced.add(name + "/" + incarnation));
    }

    private void assertRefused(String code, String name, long incarnation) {
        assertThatThrownBy(() -> attend(name, incarnation))
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining(code);
    }

    private Outcome send(Producer producer, long first, long previous, String... texts) {
        Message[] messages = Arrays.stream(texts)
                .map(text -> shard.message(shard.address("q"), SteppedShard.bytes(text)))
                .toArray(Message[]::new);
        return shard.submit(new Deduplication(producer, first, previous, List.of()), messages);
    }

    private static List<String> texts(Flush flush) {
        return flush.claims().stream()
                .map(StoredMessage::body)
                .map(body -> new String(body, StandardCharsets.UTF_8))
                .toList();
    }

    private List<String> received() {
        return received(shard.address(QUEUE));
    }
}

package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.job.LetterSurvey;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs over many messages, turn by turn on a real SQLite file. Letters are texts with "|address/subscription". */
class JobsTest extends SteppedTest {
    private static final String DEAD = "DLQ";
    private static final int LETTERS = 6_000;

    private Address dead;
    private Address work;
    private SteppedJobs stepped;

    @BeforeEach
    void beginJobs() {
        dead = shard.queue(DEAD);
        work = shard.queue("work");
        stepped = new SteppedJobs(shard);
    }

    /** Publishes letters that died in the queue {@code work}, or in a subscription of {@code origin}. */
    private void letters(int from, int to, String origin) {
        for (int i = from; i < to; i++) {
            shard.publish(dead, i + "|" + origin);
            if (i % 500 == 499) {
                shard.run();
            }
        }
        shard.run();
    }

    private static JobRequest redrive() {
        return SteppedJobs.request(Action.REDRIVE, DEAD, null);
    }

    private static JobRequest limited(JobRequest all, int rate, long max, boolean dryRun) {
        return new JobRequest(
                all.action(),
                all.from(),
                all.subscription(),
                all.to(),
                all.selector(),
                all.reason(),
                all.origin(),
                rate,
                max,
                dryRun,
                all.by());
    }

    private long owed(Address address) {
        return shard.entry(shard.reader(address)).owedInRing()
                + shard.entry(shard.reader(address)).owedInBacklog();
    }

    @Test
    void aRedriveTakesLettersHomeInOrderAndWithoutWhatSaysThatTheyDied() {
        letters(0, 3_000, "work/");
        shard.passALap(); // so that they lie in the backlog
        Job job = stepped.runToEnd(redrive());
        assertThat(job.state()).isEqualTo(Job.State.DONE);
        assertThat(job.done()).isEqualTo(3_000);
        assertThat(job.matched()).isEqualTo(3_000);
        assertThat(job.failed()).isZero();
        assertThat(job.error()).isNull();
        assertThat(received(work)).isEqualTo(numbers(0, 3_000));
        assertThat(owed(dead)).isZero();
        assertThat(dead.quota().messages()).isZero();
        assertThat(work.quota().messages()).isEqualTo(3_000);
    }

    @Test
    void aLetterOfASubscriptionGoesToThatSubscriptionAlone() {
        Address topic = shard.topic("prices");
        Subscription gaveUp = shard.subscribe(topic, "slow");
        Subscription other = shard.subscribe(topic, "fast");
        letters(0, 5, "prices/slow");
        Job job = stepped.runToEnd(redrive());
        assertThat(job.done()).isEqualTo(5);
        Reader slow = shard.attach(gaveUp, 100);
        Reader fast = shard.attach(other, 100);
        shard.run();
        assertThat(slow.texts()).isEqualTo(numbers(0, 5));
        assertThat(fast.texts()).isEmpty();
        assertThat(topic.quota().messages()).isEqualTo(5);
        slow.acceptAll();
        shard.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void aLetterWithoutAWayStaysInPlaceAndCountsAsFailed() {
        shard.topic("prices");
        letters(0, 3, "work/");
        letters(3, 5, "prices/gone");
        letters(5, 6, "nowhere/");
        shard.publish(dead, "6");
        shard.run();
        Job job = stepped.runToEnd(redrive());
        assertThat(job.state()).isEqualTo(Job.State.DONE);
        assertThat(job.done()).isEqualTo(3);
        assertThat(job.failed()).isEqualTo(4);
        assertThat(job.matched()).isEqualTo(7);
        assertThat(job.error()).contains("RT-7124", "gone");
        assertThat(received(dead)).containsExactly("3|prices/gone", "4|prices/gone", "5|nowhere/", "6");
    }

    @Test
    void aTargetThatIsNamedGetsWhatHasNoOtherWay() {
        letters(0, 2, "nowhere/");
        shard.publish(dead, "2");
        shard.run();
        Job job = stepped.runToEnd(SteppedJobs.request(Action.REDRIVE, DEAD, "work"));
        assertThat(job.done()).isEqualTo(3);
        assertThat(received(work)).isEqualTo(numbers(0, 3));
    }

    @Test
    void whatIsMovedOrCopiedStaysAsItIs() {
        letters(0, 3, "work/");
        Address other = shard.queue("other");
        assertThat(stepped.runToEnd(SteppedJobs.request(Action.COPY, DEAD, "other"))
                        .done())
                .isEqualTo(3);
        assertThat(owed(dead)).isEqualTo(3);
        assertThat(stepped.runToEnd(SteppedJobs.request(Action.MOVE, DEAD, "other"))
                        .done())
                .isEqualTo(3);
        assertThat(owed(dead)).isZero();
        assertThat(received(other)).containsExactly("0|work/", "1|work/", "2|work/", "0|work/", "1|work/", "2|work/");
    }

    @Test
    void aDeletionTakesWhatASelectorWants() {
        letters(0, 30, "work/");
        JobRequest ones =
                new JobRequest(Action.DELETE, DEAD, 0, null, "1", null, null, 0, 0, false, ""); // texts that begin so
        Job job = stepped.runToEnd(ones);
        assertThat(job.done()).isEqualTo(11); // 1, and 10 to 19
        assertThat(received(dead)).hasSize(19).noneMatch(text -> text.startsWith("1"));
    }

    @Test
    void theOriginChoosesLetters() {
        letters(0, 3, "work/");
        letters(3, 5, "elsewhere/");
        Job job = stepped.runToEnd(
                new JobRequest(Action.REDRIVE, DEAD, 0, "work", null, null, "elsewhere", 0, 0, false, ""));
        assertThat(job.done()).isEqualTo(2);
        assertThat(received(work)).containsExactly("3", "4");
    }

    @Test
    void aDryRunCountsAndTakesNothing() {
        letters(0, 10, "work/");
        letters(10, 12, "nowhere/");
        Job job = stepped.runToEnd(limited(redrive(), 0, 0, true));
        assertThat(job.state()).isEqualTo(Job.State.DONE);
        assertThat(job.matched()).isEqualTo(12);
        assertThat(job.failed()).isEqualTo(2);
        assertThat(job.done()).isZero();
        assertThat(job.error()).contains("RT-7121", "nowhere");
        assertThat(owed(dead)).isEqualTo(12);
        assertThat(owed(work)).isZero();
    }

    @Test
    void noMoreLettersGoThanWereAskedFor() {
        letters(0, 10, "work/");
        Job job = stepped.runToEnd(limited(redrive(), 0, 4, false));
        assertThat(job.done()).isEqualTo(4);
        assertThat(job.state()).isEqualTo(Job.State.DONE);
        assertThat(received(work)).isEqualTo(numbers(0, 4));
        assertThat(owed(dead)).isEqualTo(6);
    }

    @Test
    void lettersGoAtTheRateThatWasAskedFor() {
        letters(0, 100, "work/");
        Job job = stepped.start(limited(redrive(), 10, 0, false));
        stepped.run();
        assertThat(owed(work)).isEqualTo(1);
        for (int tenths = 1; tenths <= 50; tenths++) {
            stepped.nanos += TimeUnit.MILLISECONDS.toNanos(100);
            stepped.run();
            assertThat(owed(work)).isBetween(tenths - 1L, tenths + 1L);
        }
        stepped.nanos += TimeUnit.HOURS.toNanos(1);
        stepped.run();
        assertThat(owed(work)).as("no burst after a pause").isLessThanOrEqualTo(54);
        assertThat(stepped.jobs.find(job.id()).isRunning()).isTrue();
    }

    @Test
    void whatIsCancelledGivesTheRestBack() {
        letters(0, 100, "work/");
        Job job = stepped.start(limited(redrive(), 10, 0, false));
        stepped.run();
        CompletionStage<Job> cancelled = stepped.jobs.cancel(job.id());
        stepped.run();
        assertThat(cancelled.toCompletableFuture().join().state()).isEqualTo(Job.State.CANCELLED);
        assertThat(stepped.recorded.get(job.id()).state()).isEqualTo(Job.State.CANCELLED);
        assertThat(received(dead)).hasSize(99);
        assertThat(received(work)).containsExactly("0");
    }

    @Test
    void aLetterThatDiesAgainWhileTheJobRunsStays() {
        letters(0, 10, "work/");
        Job job = stepped.start(limited(redrive(), 10, 0, false));
        letters(10, 12, "work/");
        for (int i = 0; i < 30; i++) {
            stepped.nanos += TimeUnit.MILLISECONDS.toNanos(100);
            stepped.run();
        }
        assertThat(stepped.jobs.find(job.id()).state()).isEqualTo(Job.State.DONE);
        assertThat(received(work)).isEqualTo(numbers(0, 10));
        assertThat(received(dead)).containsExactly("10|work/", "11|work/");
    }

    @Test
    void aFullTargetMakesTheJobWait() {
        shard.close();
        shard.commit = SteppedSettings.COMMIT
                .with("ringtable.commit.quota-messages", 20)
                .commit();
        shard.open();
        beginJobs();
        work = shard.queue("small"); // an address keeps the quota with which it was made
        letters(0, 20, "small/");
        for (int i = 0; i < 15; i++) {
            shard.publish(work, "before");
        }
        shard.run();
        Job job = stepped.start(redrive());
        stepped.run();
        assertThat(stepped.jobs.find(job.id()).isRunning()).isTrue();
        assertThat(stepped.jobs.find(job.id()).done()).isEqualTo(5);
        assertThat(stepped.jobs.find(job.id()).error()).contains("waits for room", "small");
        Reader reader = shard.attach(shard.reader(work), 100);
        for (int i = 0; i < 3; i++) {
            stepped.run();
            reader.acceptAll();
        }
        stepped.run();
        assertThat(stepped.jobs.find(job.id()).state()).isEqualTo(Job.State.DONE);
        assertThat(stepped.jobs.find(job.id()).error()).isNull();
        assertThat(reader.texts().subList(15, 35)).isEqualTo(numbers(0, 20));
    }

    @Test
    void aTargetThatIsDeletedEndsTheJob() {
        letters(0, 10, "work/");
        Job job = stepped.start(limited(SteppedJobs.request(Action.MOVE, DEAD, "work"), 10, 0, false));
        shard.await(shard.doors.catalog().deleteStored(work, true));
        for (int i = 0; i < 10; i++) {
            stepped.nanos += TimeUnit.MILLISECONDS.toNanos(100);
            stepped.run();
        }
        Job ended = stepped.jobs.find(job.id());
        assertThat(ended.state()).isEqualTo(Job.State.FAILED);
        assertThat(ended.error()).contains("RT-7125", "work");
        assertThat(received(dead)).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void aSourceThatIsDeletedEndsTheJob() {
        letters(0, 10, "work/");
        Job job = stepped.start(limited(redrive(), 1, 0, false));
        stepped.run();
        shard.await(shard.doors.catalog().deleteStored(dead, true));
        stepped.run();
        assertThat(stepped.jobs.find(job.id()).state()).isEqualTo(Job.State.FAILED);
        assertThat(stepped.jobs.find(job.id()).error()).contains("RT-2202");
    }

    @Test
    void aStoreThatTakesNoWritesMakesTheJobWait() {
        letters(0, 10, "work/");
        failOnce("flush", FaultyStore.Fault.before(StoreFailure.Kind.NOT_WRITABLE));
        Job job = stepped.start(redrive());
        stepped.run();
        assertThat(stepped.jobs.find(job.id()).isRunning()).isTrue();
        assertThat(stepped.jobs.find(job.id()).error()).contains("waits, since the store refused");
        stepped.nanos += TimeUnit.SECONDS.toNanos(2);
        stepped.run();
        assertThat(stepped.jobs.find(job.id()).state()).isEqualTo(Job.State.DONE);
        assertThat(received(work)).containsExactlyInAnyOrderElementsOf(numbers(0, 10));
    }

    /** Invariant checked: whenever the broker dies, each letter is in one of the two queues, once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void eachLetterArrivesOnceHoweverOftenTheBrokerDies(long seed) {
        Random random = new Random(seed);
        letters(0, LETTERS, "work/");
        Job job = stepped.start(redrive());
        for (int crashes = 0; crashes < 4; crashes++) {
            for (int turns = 1 + random.nextInt(7); turns > 0; turns--) {
                stepped.turn();
            }
            shard.crashAndRestart();
            dead = shard.address(DEAD);
            work = shard.address("work");
            stepped.begin();
        }
        stepped.run();
        Job ended = stepped.jobs.find(job.id());
        assertThat(ended.state()).as("seed %d", seed).isEqualTo(Job.State.DONE);
        assertThat(ended.resumed()).isTrue();
        assertThat(owed(dead)).isZero();
        assertThat(received(work)).as("seed %d", seed).isEqualTo(numbers(0, LETTERS));
    }

    @Test
    void aCopyThatWasInterruptedSaysHowFarItCame() {
        letters(0, 10, "work/");
        Job job = stepped.start(limited(SteppedJobs.request(Action.COPY, DEAD, "work"), 10, 0, false));
        stepped.run();
        stepped.nanos += TimeUnit.SECONDS.toNanos(2);
        stepped.run();
        shard.crashAndRestart();
        stepped.begin();
        stepped.run();
        Job ended = stepped.jobs.find(job.id());
        assertThat(ended.state()).isEqualTo(Job.State.FAILED);
        assertThat(ended.error()).contains("RT-7133", "at least " + ended.done());
        assertThat(ended.done()).isBetween(1L, 3L);
    }

    @Test
    void jobsThatHaveEndedAreKeptInBoundedNumber() {
        for (int i = 0; i < 105; i++) {
            stepped.runToEnd(redrive());
        }
        assertThat(stepped.jobs.all()).hasSize(100);
        assertThat(stepped.recorded).hasSize(100).doesNotContainKey(5L).containsKey(105L);
        assertThatThrownBy(() -> stepped.jobs.find(5)).hasMessageContaining("RT-7127");
    }

    @Test
    void requestsThatMakeNoSenseAreRefused() {
        Address topic = shard.topic("prices");
        Subscription some = shard.subscribe(topic, "some");
        List<String> refused = new ArrayList<>();
        for (JobRequest request : List.of(
                SteppedJobs.request(Action.REDRIVE, "absent", null),
                SteppedJobs.request(Action.MOVE, DEAD, null),
                SteppedJobs.request(Action.MOVE, DEAD, "absent"),
                SteppedJobs.request(Action.MOVE, DEAD, DEAD),
                SteppedJobs.request(Action.DELETE, DEAD, "work"),
                SteppedJobs.request(Action.DELETE, "prices", null),
                limited(redrive(), -1, 0, false),
                limited(redrive(), 0, -1, false))) {
            assertThatThrownBy(() -> stepped.jobs.begin(request))
                    .isInstanceOfSatisfying(
                            Refusal.Refused.class, e -> refused.add(e.refusal().code()));
        }
        assertThat(refused)
                .containsExactly(
                        "RT-7111", "RT-7114", "RT-7116", "RT-7117", "RT-7115", "RT-7113", "RT-7112", "RT-7112");
        shard.publish(topic, "1");
        shard.run();
        Job job = stepped.runToEnd(
                new JobRequest(Action.DELETE, "prices", some.id(), null, null, null, null, 0, 0, false, ""));
        assertThat(job.done()).isEqualTo(1);
    }

    @Test
    void eightJobsRunAtATime() {
        letters(0, 100, "work/");
        for (int i = 0; i < 8; i++) {
            stepped.start(limited(redrive(), 1, 0, false));
        }
        CompletionStage<Job> ninth = stepped.jobs.begin(redrive());
        stepped.run();
        assertThatThrownBy(() -> ninth.toCompletableFuture().join()).hasMessageContaining("RT-7130");
    }

    @Test
    void aSurveyGroupsLettersAndTakesNothing() {
        letters(0, 5, "work/");
        letters(5, 7, "prices/slow");
        shard.publish(dead, "7");
        shard.run();
        CompletionStage<LetterSurvey.Found> survey = stepped.jobs.survey(DEAD, 1_000);
        stepped.run();
        LetterSurvey.Found found = survey.toCompletableFuture().join();
        assertThat(found.complete()).isTrue();
        assertThat(found.letters()).isEqualTo(8);
        assertThat(found.groups())
                .extracting(LetterSurvey.LetterGroup::origin, LetterSurvey.LetterGroup::count)
                .containsExactly(tuple("work", 5L), tuple("prices", 2L), tuple(null, 1L));
        assertThat(owed(dead)).isEqualTo(8);

        CompletionStage<LetterSurvey.Found> part = stepped.jobs.survey(DEAD, 3);
        stepped.run();
        assertThat(part.toCompletableFuture().join().complete()).isFalse();
        assertThat(part.toCompletableFuture().join().letters()).isEqualTo(3);
    }
}

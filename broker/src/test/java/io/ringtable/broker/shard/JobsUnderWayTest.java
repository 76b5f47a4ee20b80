package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.store.StoreFailure;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that wait, are cancelled, fail or go on after a crash. */
class JobsUnderWayTest extends JobsSteps {
    static final int LETTERS = 6_000;

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
    void eightJobsRunAtATime() {
        letters(0, 100, "work/");
        for (int i = 0; i < 8; i++) {
            stepped.start(limited(redrive(), 1, 0, false));
        }
        CompletionStage<Job> ninth = stepped.jobs.begin(redrive());
        stepped.run();
        assertThatThrownBy(() -> ninth.toCompletableFuture().join()).hasMessageContaining("RT-7130");
    }
}

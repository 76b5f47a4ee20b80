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
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where the letters of a job go, and which stay. */
class JobsTest extends JobsSteps {
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
                // texts that begin so
                new JobRequest(Action.DELETE, DEAD, 0, null, "1", null, null, null, null, 0, 0, false, "");
        Job job = stepped.runToEnd(ones);
        assertThat(job.done()).isEqualTo(11); // 1, and 10 to 19
        assertThat(received(dead)).hasSize(19).noneMatch(text -> text.startsWith("1"));
    }

    @Test
    void theOriginChoosesLetters() {
        letters(0, 3, "work/");
        letters(3, 5, "elsewhere/");
        Job job = stepped.runToEnd(
                new JobRequest(Action.REDRIVE, DEAD, 0, "work", null, null, "elsewhere", null, null, 0, 0, false, ""));
        assertThat(job.done()).isEqualTo(2);
        assertThat(received(work)).containsExactly("3", "4");
    }

    @Test
    void theTimeChoosesTheLettersOfOneHour() {
        long hourMs = TimeUnit.HOURS.toMillis(1);
        long from = (shard.now / hourMs + 1) * hourMs;
        long end = from + hourMs - 1;
        for (long at : List.of(from - 1, from, end, end + 1)) {
            shard.now = at;
            shard.publish(dead, at - from + "|work/");
            shard.run();
        }
        shard.passALap(); // so that they lie in the backlog
        JobRequest ofOneHour = between(redrive(), from, end);

        Job counted = stepped.runToEnd(limited(ofOneHour, 0, 0, true));
        Job job = stepped.runToEnd(ofOneHour);

        assertThat(counted.matched()).isEqualTo(2);
        assertThat(job.done()).isEqualTo(2);
        assertThat(job.matched()).isEqualTo(2);
        assertThat(received(work)).containsExactly("0", Long.toString(hourMs - 1));
        assertThat(received(dead)).containsExactly("-1|work/", hourMs + "|work/");
    }

    @Test
    void aTimeBesideASelectorAndAnOriginChoosesWhatAllOfThemWant() {
        long before = shard.now;
        letters(0, 12, "work/");
        shard.now = before + 1;
        letters(10, 12, "work/");
        letters(12, 14, "nowhere/");
        JobRequest some = new JobRequest(
                Action.DELETE,
                DEAD,
                0,
                null,
                "1",
                null,
                "work",
                Instant.ofEpochMilli(before + 1),
                null,
                0,
                0,
                false,
                "");
        assertThat(stepped.runToEnd(some).done()).isEqualTo(2);
        assertThat(received(dead)).hasSize(14).contains("10|work/", "12|nowhere/");
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

    /** Invariant checked: whenever the broker dies, each letter is in one of the two queues, once. */
    @Test
    void requestsThatMakeNoSenseAreRefused() {
        Address topic = shard.topic("prices");
        Subscription some = shard.subscribe(topic, "some");
        Address temporary = shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        List<String> refused = new ArrayList<>();
        for (JobRequest request : List.of(
                SteppedJobs.request(Action.REDRIVE, "absent", null),
                SteppedJobs.request(Action.MOVE, DEAD, null),
                SteppedJobs.request(Action.MOVE, DEAD, "absent"),
                SteppedJobs.request(Action.MOVE, DEAD, DEAD),
                SteppedJobs.request(Action.DELETE, DEAD, "work"),
                SteppedJobs.request(Action.DELETE, "prices", null),
                limited(redrive(), -1, 0, false),
                limited(redrive(), 0, -1, false),
                between(redrive(), 2, 1),
                new JobRequest(Action.REDRIVE, DEAD, 0, null, null, null, null, Instant.MAX, null, 0, 0, false, ""),
                SteppedJobs.request(Action.MOVE, temporary.name(), "work"),
                SteppedJobs.request(Action.MOVE, DEAD, temporary.name()),
                new JobRequest(Action.DELETE, "prices", -5, null, null, null, null, null, null, 0, 0, false, ""))) {
            assertThatThrownBy(() -> stepped.jobs.begin(request))
                    .isInstanceOfSatisfying(
                            Refusal.Refused.class, e -> refused.add(e.refusal().code()));
        }
        assertThat(refused)
                .containsExactly(
                        "RT-7111", "RT-7114", "RT-7116", "RT-7117", "RT-7115", "RT-7113", "RT-7112", "RT-7112",
                        "RT-7740", "RT-7740", "RT-7741", "RT-7741", "RT-7741");
        shard.publish(topic, "1");
        shard.run();
        Job job = stepped.runToEnd(new JobRequest(
                Action.DELETE, "prices", some.id(), null, null, null, null, null, null, 0, 0, false, ""));
        assertThat(job.done()).isEqualTo(1);
    }

    @Test
    void aSurveyGroupsLettersAndTakesNothing() {
        letters(0, 5, "work/");
        letters(5, 7, "prices/slow");
        shard.publish(dead, "7");
        shard.run();
        CompletionStage<LetterSurvey.Found> survey = stepped.jobs.survey(DEAD, 1_000, false);
        stepped.run();
        LetterSurvey.Found found = survey.toCompletableFuture().join();
        assertThat(found.complete()).isTrue();
        assertThat(found.letters()).isEqualTo(8);
        assertThat(found.groups())
                .extracting(LetterSurvey.LetterGroup::origin, LetterSurvey.LetterGroup::count)
                .containsExactly(tuple("work", 5L), tuple("prices", 2L), tuple(null, 1L));
        assertThat(owed(dead)).isEqualTo(8);

        CompletionStage<LetterSurvey.Found> part = stepped.jobs.survey(DEAD, 3, false);
        stepped.run();
        assertThat(part.toCompletableFuture().join().complete()).isFalse();
        assertThat(part.toCompletableFuture().join().letters()).isEqualTo(3);
    }

    @Test
    void lettersThatStayTakeNoMemory() {
        shard.close();
        shard.dispatch = SMALL;
        shard.open();
        beginJobs();
        letters(0, 3_000, "nowhere/");
        shard.passALap();
        Job job = stepped.runToEnd(redrive());
        assertThat(job.failed()).isEqualTo(3_000);
        assertThat(job.state()).isEqualTo(Job.State.DONE);
        assertThat(shard.dispatcher.memoryBytes()).as("of 3,000 letters").isLessThan(30_000);
        assertThat(owed(dead)).isEqualTo(3_000);
    }
}

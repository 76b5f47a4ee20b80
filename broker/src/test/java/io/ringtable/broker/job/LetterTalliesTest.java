package io.ringtable.broker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ringtable.broker.job.LetterSurvey.LetterGroup;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LetterTalliesTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
    private static final long HOUR_MS = 3_600_000;

    private static long at(int hour, long ms) {
        return NOON.toEpochMilli() + hour * HOUR_MS + ms;
    }

    private static Instant hour(int hour) {
        return Instant.ofEpochMilli(at(hour, 0));
    }

    @Test
    void countsByOriginAndReasonAloneUnlessHoursAreWanted() {
        LetterTallies tallies = new LetterTallies(false, 10);
        tallies.count("a", "late", at(0, 0));
        tallies.count("a", "late", at(5, 7));
        tallies.count(null, null, at(1, 0));
        assertThat(tallies.groups("DLQ"))
                .extracting(LetterGroup::origin, LetterGroup::hour, LetterGroup::count, LetterGroup::newest)
                .containsExactly(tuple("a", null, 2L, Instant.ofEpochMilli(at(5, 7))), tuple(null, null, 1L, hour(1)));
    }

    @Test
    void tellsTheHoursApartTheNewestFirst() {
        LetterTallies tallies = new LetterTallies(true, 10);
        tallies.count("a", "late", at(0, 0));
        tallies.count("a", "late", at(0, HOUR_MS - 1));
        tallies.count("a", "late", at(1, 0));
        tallies.count("b", "late", at(0, 1));
        assertThat(tallies.groups("DLQ"))
                .extracting(LetterGroup::hour, LetterGroup::origin, LetterGroup::count)
                .containsExactly(tuple(hour(1), "a", 1L), tuple(hour(0), "a", 2L), tuple(hour(0), "b", 1L));
        assertThat(tallies.isComplete()).isTrue();
    }

    @Test
    void anHourBeforeTheEpochIsOneAsOthers() {
        LetterTallies tallies = new LetterTallies(true, 10);
        tallies.count("a", "late", -1);
        assertThat(tallies.groups("DLQ").get(0).hour()).isEqualTo(Instant.ofEpochMilli(-HOUR_MS));
    }

    @Test
    void countsTheOldestHoursTogetherWhenThereAreTooMany() {
        LetterTallies tallies = new LetterTallies(true, 3);
        for (int hour = 0; hour < 5; hour++) {
            tallies.count("a", "late", at(hour, 0));
        }
        tallies.count("a", "late", at(1, 5)); // its hour is one of those together by now
        tallies.count("b", "late", at(-9, 0));
        assertThat(tallies.groups("DLQ"))
                .extracting(LetterGroup::hour, LetterGroup::origin, LetterGroup::count)
                .containsExactly(
                        tuple(hour(4), "a", 1L),
                        tuple(hour(3), "a", 1L),
                        tuple(hour(2), "a", 1L),
                        tuple(null, "a", 3L),
                        tuple(null, "b", 1L));
        assertThat(tallies.groups("DLQ").get(3).oldest()).isEqualTo(hour(0));
        assertThat(tallies.isComplete()).isTrue();
    }

    @Test
    void anHourIsKeptApartAsAWholeOrNotAtAll() {
        LetterTallies tallies = new LetterTallies(true, 2);
        tallies.count("a", "late", at(0, 0));
        tallies.count("a", "late", at(1, 0));
        tallies.count("b", "late", at(0, 0)); // there is no room for a second group of the oldest hour
        assertThat(tallies.groups("DLQ"))
                .extracting(LetterGroup::hour, LetterGroup::origin, LetterGroup::count)
                .containsExactlyInAnyOrder(tuple(hour(1), "a", 1L), tuple(null, "a", 1L), tuple(null, "b", 1L));
    }

    @Test
    void saysThatItIsIncompleteWhereCausesAreTooMany() {
        for (boolean hourly : List.of(false, true)) {
            LetterTallies tallies = new LetterTallies(hourly, 2);
            for (int i = 0; i < 6; i++) {
                assertThat(tallies.isComplete()).as("before letter " + i).isEqualTo(i < 3);
                tallies.count("origin " + i, "late", at(0, 0));
            }
            assertThat(tallies.isComplete()).isFalse();
            assertThat(tallies.groups("DLQ")).hasSizeLessThanOrEqualTo(4);
        }
    }

    @Test
    void countsEveryLetterOnceInWhateverOrderTheyCome() {
        Random random = new Random(43);
        for (int round = 0; round < 200; round++) {
            LetterTallies tallies = new LetterTallies(true, 1 + random.nextInt(8));
            for (int i = 0; i < 300; i++) {
                tallies.count("a", "late", at(random.nextInt(20), random.nextInt((int) HOUR_MS)));
            }
            List<LetterGroup> groups = tallies.groups("DLQ");
            assertThat(groups.stream().mapToLong(LetterGroup::count).sum()).isEqualTo(300);
            assertThat(groups).extracting(LetterGroup::hour).doesNotHaveDuplicates();
            for (LetterGroup group : groups) {
                if (group.hour() != null) {
                    assertThat(group.newest().toEpochMilli() - group.hour().toEpochMilli())
                            .isBetween(0L, HOUR_MS - 1);
                }
            }
        }
    }
}

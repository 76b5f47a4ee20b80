package io.ringtable.broker.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts letters by where they came from and why, and by the hour too if that is wanted. The number of counts is
 * bounded. Where there are more hours than room, each of the newest has its own count, and the others are counted
 * together.
 * <p>
 * Thread: one.
 */
final class LetterTallies {
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);

    private final boolean hourly;
    private final int max;
    private final TreeMap<Long, Map<Cause, Tally>> byHour = new TreeMap<>(); // none is empty
    private final Map<Cause, Tally> withoutHour = new HashMap<>(); // what came earlier; all, if hours do not count
    private long firstHour = Long.MIN_VALUE; // what came before is counted without its hour
    private int apart; // counts in byHour
    private boolean complete = true;

    private record Cause(String origin, String reason) {}

    private static final class Tally {
        private long count;
        private long oldest = Long.MAX_VALUE; // ms since the epoch, as is newest
        private long newest = Long.MIN_VALUE;

        void add(long at) {
            add(1, at, at);
        }

        void add(Tally other) {
            add(other.count, other.oldest, other.newest);
        }

        private void add(long more, long from, long to) {
            count += more;
            oldest = Math.min(oldest, from);
            newest = Math.max(newest, to);
        }
    }

    /** @param max the most counts with an hour, and the most without */
    LetterTallies(boolean hourly, int max) {
        this.hourly = hourly;
        this.max = max;
    }

    /**
     * Counts a letter.
     *
     * @param origin null if it does not say where it came from
     * @param reason null if it does not say why
     * @param at when it died, or was published, in ms since the epoch
     */
    void count(String origin, String reason, long at) {
        Cause cause = new Cause(origin, reason);
        Tally tally = hourly ? ofHour(Math.floorDiv(at, HOUR_MS), cause) : null;
        if (tally == null) {
            tally = ofNoHour(cause);
        }
        if (tally != null) {
            tally.add(at);
        }
    }

    /** Returns null if the hour is not kept apart. */
    private Tally ofHour(long hour, Cause cause) {
        Map<Cause, Tally> known = byHour.get(hour);
        if (known != null && known.containsKey(cause)) {
            return known.get(cause);
        }
        while (apart >= max && hour >= firstHour) {
            if (byHour.firstKey() <= hour) {
                keepFirstApartNoMore();
            } else {
                firstHour = hour + 1;
            }
        }
        if (hour < firstHour) {
            return null;
        }
        apart++;
        return byHour.computeIfAbsent(hour, any -> new HashMap<>()).computeIfAbsent(cause, any -> new Tally());
    }

    private void keepFirstApartNoMore() {
        Map.Entry<Long, Map<Cause, Tally>> first = byHour.pollFirstEntry();
        firstHour = first.getKey() + 1;
        apart -= first.getValue().size();
        first.getValue().forEach((cause, tally) -> {
            Tally together = ofNoHour(cause);
            if (together != null) {
                together.add(tally);
            }
        });
    }

    /** Returns null if there is no room for another cause. */
    private Tally ofNoHour(Cause cause) {
        Tally known = withoutHour.get(cause);
        if (known == null && withoutHour.size() >= max) {
            complete = false;
            return null;
        }
        return known != null ? known : withoutHour.computeIfAbsent(cause, any -> new Tally());
    }

    /** Returns false if letters are in no count, as there were more causes than there is room for. */
    boolean isComplete() {
        return complete;
    }

    /** Returns the counts, the newest hour first and within it the largest. Those without an hour come last. */
    List<LetterSurvey.LetterGroup> groups(String queue) {
        List<LetterSurvey.LetterGroup> groups = new ArrayList<>();
        byHour.descendingMap()
                .forEach(
                        (hour, tallies) -> groups.addAll(groups(queue, Instant.ofEpochMilli(hour * HOUR_MS), tallies)));
        groups.addAll(groups(queue, null, withoutHour));
        return groups;
    }

    private static List<LetterSurvey.LetterGroup> groups(String queue, Instant hour, Map<Cause, Tally> tallies) {
        return tallies.entrySet().stream()
                .map(each -> new LetterSurvey.LetterGroup(
                        queue,
                        each.getKey().origin(),
                        each.getKey().reason(),
                        hour,
                        each.getValue().count,
                        Instant.ofEpochMilli(each.getValue().oldest),
                        Instant.ofEpochMilli(each.getValue().newest)))
                .sorted(Comparator.comparingLong(LetterSurvey.LetterGroup::count)
                        .reversed())
                .toList();
    }
}

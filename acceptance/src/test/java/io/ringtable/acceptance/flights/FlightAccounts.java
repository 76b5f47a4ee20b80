package io.ringtable.acceptance.flights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts for every row: how often it was sent and with which outcome, and when it arrived at each subscription. This
 * class is the oracle of the crash tests.
 * <p>
 * A message is known by its row and its attempt. Rules, each broken one a violation:
 * <ol>
 *   <li>every row arrives at every subscription;
 *   <li>rows of one publisher arrive for the first time in the order in which they were published;
 *   <li>all rows arrive for the first time in the same order at every subscription;
 *   <li>a message that arrives again is flagged as redelivered, unless its client resent it by itself after a lost
 *       connection while it had no outcome;
 *   <li>a second attempt exists only if the previous one ended without an outcome; a message that was never sent or was
 *       rejected does not arrive;
 *   <li>what arrives is what was sent;
 *   <li>after {@link #everythingIsSettled} nothing comes again.
 * </ol>
 * Thread: any; it locks itself.
 */
final class FlightAccounts {
    private static final int VIOLATIONS_KEPT = 50;

    private final FlightRows rows;
    private final int publishers;
    private final int total;
    private final int[] attempts; // of each row
    private final int[] silentResends; // most copies that the client may have made of each row by itself
    private final BitSet accepted = new BitSet();
    private final BitSet open = new BitSet(); // sent, and without an outcome
    private final List<Arrivals> subscriptions = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final AtomicLong progress = new AtomicLong();
    private final Map<String, Integer> reasons = new TreeMap<>();
    private long violationCount;
    private long sent;
    private long noOutcome;
    private boolean settled;

    /** @param publishers row r belongs to publisher r mod publishers */
    FlightAccounts(FlightRows rows, int publishers, int subscriptionCount) {
        this.rows = rows;
        this.publishers = publishers;
        this.total =
                rows.count() + 2 * publishers; // one that says that all rows are out, one after everything is settled
        this.attempts = new int[total];
        this.silentResends = new int[total];
        for (int i = 0; i < subscriptionCount; i++) {
            subscriptions.add(new Arrivals(total));
        }
    }

    private static final class Arrivals {
        final long[] attemptsSeen; // bit k-1: attempt k of the row has arrived
        final int[] unflaggedRepeats;
        final int[] order; // rows as they arrived first
        final int[] lastOfPublisher = new int[64];
        int distinct;
        long all;
        long flagged;
        long resent;

        Arrivals(int rows) {
            attemptsSeen = new long[rows];
            unflaggedRepeats = new int[rows];
            order = new int[rows];
            Arrays.fill(lastOfPublisher, -1);
        }
    }

    /** Rows up to and with the one that says that the publisher has ended. */
    int rowsUntilEnd() {
        return rows.count() + publishers;
    }

    /** The row that the publisher sends after everything else is settled. */
    int lastRow(int publisher) {
        return rows.count() + publishers + publisher;
    }

    int publisherOf(int row) {
        return row < rows.count() ? row % publishers : (row - rows.count()) % publishers;
    }

    /** First row of the publisher. */
    int first(int publisher) {
        return publisher < rows.count() ? publisher : rows.count() + publisher;
    }

    /** The row after this one of the same publisher; at least {@link #rowsUntilEnd} if it has no more. */
    int after(int row) {
        if (row >= rows.count()) {
            return row + publishers;
        }
        int next = row + publishers;
        return next < rows.count() ? next : rows.count() + publisherOf(row);
    }

    /** @return number of this attempt, from 1 */
    synchronized int sending(int row) {
        if (attempts[row] > 0 && accepted.get(row)) {
            violation("row " + row + " is sent again although it was accepted: the harness is wrong");
        }
        attempts[row]++;
        sent++;
        open.set(row);
        return attempts[row];
    }

    synchronized void accepted(int row) {
        open.clear(row);
        if (!accepted.get(row)) {
            accepted.set(row);
            progress.incrementAndGet();
        }
    }

    synchronized boolean isAccepted(int row) {
        return accepted.get(row);
    }

    synchronized void noOutcome(int row, String reason) {
        open.clear(row);
        noOutcome++;
        reasons.merge(reason, 1, Integer::sum);
    }

    synchronized void rejected(int row, String reason) {
        open.clear(row);
        violation("row " + row + " was rejected: " + reason);
    }

    /** A client that resends by itself has lost its connection: what has no outcome may be stored twice. */
    synchronized void connectionLost(int publisher) {
        for (int row = open.nextSetBit(0); row >= 0; row = open.nextSetBit(row + 1)) {
            if (publisherOf(row) == publisher) {
                silentResends[row]++;
                noOutcome++;
            }
        }
    }

    synchronized void everythingIsSettled() {
        settled = true;
    }

    synchronized void arrived(int subscription, int row, int attempt, boolean redelivered, String text) {
        Arrivals arrivals = subscriptions.get(subscription);
        arrivals.all++;
        String name = "row " + row + " attempt " + attempt + " at subscription " + subscription;
        if (row < 0 || row >= total || attempt < 1 || attempt > attempts[row]) {
            violation(name + " arrived and was never sent");
            return;
        }
        if (!rows.text(row).equals(text)) {
            violation(name + " arrived as '" + text + "'");
        }
        if (redelivered) {
            arrivals.flagged++;
        }
        long bit = 1L << (attempt - 1);
        if ((arrivals.attemptsSeen[row] & bit) != 0) {
            repeated(arrivals, name, row, redelivered);
        } else if (arrivals.attemptsSeen[row] != 0) {
            arrivals.attemptsSeen[row] |= bit;
            arrivals.resent++;
        } else {
            arrivals.attemptsSeen[row] |= bit;
            arrivedFirst(arrivals, name, row);
        }
    }

    private void repeated(Arrivals arrivals, String name, int row, boolean redelivered) {
        if (settled) {
            violation(name + " came back although everything had been settled");
        }
        if (redelivered) {
            return;
        }
        arrivals.unflaggedRepeats[row]++;
        arrivals.resent++;
        if (arrivals.unflaggedRepeats[row] > silentResends[row]) {
            violation(name + " arrived again, not flagged as redelivered; its client may have resent it "
                    + silentResends[row] + " times");
        }
    }

    private void arrivedFirst(Arrivals arrivals, String name, int row) {
        int publisher = publisherOf(row);
        int last = arrivals.lastOfPublisher[publisher];
        if (row < last) {
            violation(name + " arrived for the first time after row " + last + " of the same publisher");
        }
        arrivals.lastOfPublisher[publisher] = Math.max(row, last);
        arrivals.order[arrivals.distinct++] = row;
        progress.incrementAndGet();
    }

    private void violation(String text) {
        violationCount++;
        if (violations.size() < VIOLATIONS_KEPT) {
            violations.add(text);
        }
    }

    /** Accepted rows plus first arrivals at all subscriptions: grows to {@link #progressAtEnd}. */
    long progress() {
        return progress.get();
    }

    long progressAtEnd() {
        return (long) rowsUntilEnd() * (1 + subscriptions.size());
    }

    /** Whether every row until the publishers' end has arrived. */
    synchronized boolean isComplete(int subscription) {
        return subscriptions.get(subscription).distinct >= rowsUntilEnd();
    }

    /** Whether the rows after the end have arrived, too. */
    synchronized boolean isOver(int subscription) {
        return subscriptions.get(subscription).distinct >= total;
    }

    /** Every broken rule, the first ones in full; call it when the run is over. */
    synchronized List<String> violations() {
        List<String> found = new ArrayList<>(violations);
        if (violationCount > violations.size()) {
            found.add("and " + (violationCount - violations.size()) + " more");
        }
        for (int s = 0; s < subscriptions.size(); s++) {
            missing(s, found);
            sameOrder(s, found);
        }
        return found;
    }

    private void missing(int subscription, List<String> found) {
        Arrivals arrivals = subscriptions.get(subscription);
        if (arrivals.distinct == total) {
            return;
        }
        for (int row = 0; row < total; row++) {
            if (arrivals.attemptsSeen[row] == 0) {
                found.add("subscription " + subscription + " got " + arrivals.distinct + " of " + total
                        + " rows; the first one missing is " + row
                        + (accepted.get(row) ? ", accepted" : ", not accepted"));
                return;
            }
        }
    }

    private void sameOrder(int subscription, List<String> found) {
        int[] order = subscriptions.get(subscription).order;
        int difference = Arrays.mismatch(order, subscriptions.get(0).order);
        if (difference >= 0) {
            found.add("subscription " + subscription + " got row " + order[difference] + " as its first arrival number "
                    + difference + ", subscription 0 got row " + subscriptions.get(0).order[difference]);
        }
    }

    /** For people: a table of what happened. */
    synchronized String summary() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("%-36s %,12d%n", "rows (with 2 marks per publisher)", total));
        text.append(String.format("%-36s %,12d%n", "sends by the harness", sent));
        text.append(String.format("%-36s %,12d%n", "sends that ended without an outcome", noOutcome));
        reasons.forEach((reason, count) -> text.append(String.format("  %,10d %s%n", count, reason)));
        text.append(String.format("%-36s %,12d%n", "rows accepted", accepted.cardinality()));
        text.append(String.format(
                "%-14s %12s %12s %14s %18s%n", "subscription", "rows", "arrivals", "flagged", "copies of resends"));
        for (int s = 0; s < subscriptions.size(); s++) {
            Arrivals arrivals = subscriptions.get(s);
            text.append(String.format(
                    "%-14d %,12d %,12d %,14d %,18d%n",
                    s, arrivals.distinct, arrivals.all, arrivals.flagged, arrivals.resent));
        }
        return text.append(String.format("%-36s %,12d", "violations", violationCount))
                .toString();
    }
}

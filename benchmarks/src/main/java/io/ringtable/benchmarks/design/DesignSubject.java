package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.Count;
import io.ringtable.benchmarks.engine.Durability;
import io.ringtable.benchmarks.engine.EngineMeter;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Measures one of the articles' designs. A round pushes and pops for a while. Outside of the measured time it then pops
 * what is left, and checks the accounts against the tables.
 * <p>
 * Thread: the runner's.
 */
final class DesignSubject implements Subject {
    private static final int UNMEASURED_BATCH = 100; // a pop steps over what its batch has deleted
    private static final int LAPS = 5; // of the ring, that make a design an aged one
    private static final int MANY = 1_000;
    private static final Duration SLICE = Duration.ofMillis(50);
    private static final Duration SLICE_OF_MANY = Duration.ofMillis(500);
    private static final Duration PUSH_MAX = Duration.ofMinutes(1);
    /** Longer than a popper takes for a lap that finds nothing, with a sync of 10 ms after each of 2,000 slots. */
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private final DesignDatabase database;
    private final Crew crew;
    private final int headStart;
    private final boolean aged;
    private final long most; // messages of each pusher; without poppers no more than the ring takes
    private final int subscribers;
    private final int sessions;
    private Tally pushed = Tally.NONE; // of all rounds
    private Tally popped = Tally.NONE;
    private boolean warm;
    private boolean stands; // messages are there, and nobody can pop them

    /** @param aged whether many messages come and go before the first round */
    DesignSubject(DesignDatabase database, int pushers, int poppers, int headStart, boolean aged) {
        this.database = database;
        this.crew = new Crew(database, pushers, poppers);
        this.headStart = headStart;
        this.aged = aged;
        this.most = poppers == 0 ? database.shape().ringSize() / pushers : Long.MAX_VALUE;
        this.subscribers = database.shape().subscribers();
        this.sessions = crew.sessions();
    }

    @Override
    public Map<Figure, String> measure(Duration time) {
        if (stands) {
            throw new IllegalStateException("the queue stands still since an earlier round: " + database.accounts());
        }
        if (!warm) {
            if (aged) {
                age();
            }
            work(time);
            settle();
            warm = true;
        }
        if (headStart > 0) {
            pushed = pushed.plus(crew.push(headStart, PUSH_MAX, UNMEASURED_BATCH));
        }
        Readings readings = new Readings();
        readings.putRawSync(database.database().directory());
        try (EngineMeter meter = database.database().meter()) {
            Crew.Run run = work(time);
            Map<Count, Long> counts = meter.stop();
            read(readings, run);
            readings.putCounts(counts);
            readings.putWaits(meter.waits());
            readings.putContended(meter.contended());
            readings.putDurability(whyNotDurable().or(() -> Durability.whyNotSynced(counts, run.commits(), sessions)));
            readings.put(Figure.LATE, run.popped().late() + settle());
        }
        readings.put(Figure.LOST, lost());
        return readings.figures();
    }

    /** Lets as many messages wait as the ring takes, and pops them, again and again. */
    private void age() {
        for (int lap = 0; lap < LAPS; lap++) {
            pushed = pushed.plus(crew.push(database.shape().ringSize(), PUSH_MAX, UNMEASURED_BATCH));
            settle();
        }
    }

    private Crew.Run work(Duration time) {
        Crew.Run run = crew.work(most, time, database.shape().batch());
        pushed = pushed.plus(run.pushed());
        popped = popped.plus(run.popped());
        return run;
    }

    private void read(Readings readings, Crew.Run run) {
        long messages = most == Long.MAX_VALUE
                ? run.popped().moved() / subscribers
                : run.pushed().moved();
        readings.put(Figure.SECONDS, run.seconds());
        readings.put(Figure.MESSAGES, messages);
        readings.put(Figure.MESSAGES_PER_S, messages / run.seconds());
        readings.put(Figure.COMMITS, run.commits());
        readings.put(Figure.PUSHED, run.pushed().moved());
        readings.put(Figure.POPPED, run.popped().moved());
        readings.put(Figure.MISSED, run.pushed().missed() + run.popped().missed());
        if (messages > 0) {
            readings.put(Figure.CPU_US_PER_MESSAGE, run.cpuSeconds() * 1e6 / messages);
        }
        double heldUp = run.pushed().plus(run.popped()).heldUpNanos() / 1e9;
        if (heldUp > 0) {
            readings.put(Figure.TOP_WAIT, "the file's write lock");
            readings.put(Figure.TOP_WAIT_SHARE, heldUp / (sessions * run.seconds()));
        }
    }

    private Optional<String> whyNotDurable() {
        try (Connection session = database.connect()) {
            return database.database().whyNotDurable(session);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long lost() {
        return pushed.moved() * subscribers - popped.moved();
    }

    /**
     * Pops all that is left, and compares what came out, and what the tables tell, with what went in. Gives up when the
     * queue has stood still for long. A slice that moves nothing is doubled: on a slow disk the turn of a session may
     * come when its time is over.
     *
     * @return messages that came late
     */
    private long settle() {
        long late = 0;
        long deadline = System.nanoTime() + STANDSTILL.toNanos();
        Duration slice = SLICE;
        while (lost() > 0 || crew.hasPendingPushes()) {
            if (System.nanoTime() > deadline) {
                stands = true;
                return late;
            }
            Crew.Run run = crew.finish(lost(), lost() < MANY ? slice : SLICE_OF_MANY, UNMEASURED_BATCH);
            pushed = pushed.plus(run.pushed());
            popped = popped.plus(run.popped());
            late += run.popped().late();
            if (run.pushed().moved() + run.popped().moved() > 0) {
                deadline = System.nanoTime() + STANDSTILL.toNanos();
                slice = SLICE;
            } else if (slice.compareTo(SLICE_OF_MANY) < 0) {
                slice = slice.multipliedBy(2);
            }
        }
        requireEqualAccounts();
        return late;
    }

    private void requireEqualAccounts() {
        DesignDatabase.Accounts expected = new DesignDatabase.Accounts(pushed.moved(), pushed.moved() * subscribers, 0);
        if (!database.accounts().equals(expected)) {
            throw new IllegalStateException("the tables tell " + database.accounts() + " instead of " + expected);
        }
        if (popped.ids() != pushed.ids() * subscribers) {
            throw new IllegalStateException("other messages were popped than pushed: numbers add up to " + popped.ids()
                    + ", and " + pushed.ids() * subscribers + " were pushed");
        }
    }

    @Override
    public void close() {
        database.close();
    }
}

package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * Lets the sessions of a case work together: each call opens them, lets them begin at once, and closes them.
 * <p>
 * Thread: the runner's, and one for each session. Failure: that of the first session that fails, once all have ended.
 */
final class Crew {
    private final BenchmarkDatabase engine;
    private final List<Place> pushers = new ArrayList<>();
    private final List<Place> poppers = new ArrayList<>();
    private final List<Place> drainers = new ArrayList<>(); // the poppers, or one for each subscriber

    /** @param poppersEach for each subscriber */
    Crew(DesignDatabase database, int pushers, int poppersEach) {
        this.engine = database.database();
        for (int i = 0; i < pushers; i++) {
            this.pushers.add(new Place(database, Place.PUSHES));
        }
        for (int subscriber = 0; subscriber < database.shape().subscribers(); subscriber++) {
            for (int i = 0; i < poppersEach; i++) {
                poppers.add(new Place(database, subscriber));
            }
            if (poppersEach == 0) {
                drainers.add(new Place(database, subscriber));
            }
        }
        drainers.addAll(poppers);
    }

    int sessions() {
        return pushers.size() + poppers.size();
    }

    /**
     * Tells of a run.
     *
     * @param commits that changed something, at least
     * @param cpuSeconds while all sessions were open. The processor time of one that ends is between its process and
     *     the server for a moment, and a reader then misses it.
     */
    record Run(Tally pushed, Tally popped, long commits, double seconds, double cpuSeconds) {}

    /** Pushes and pops with all sessions. @param most messages of each pusher */
    Run work(long most, Duration time, int batch) {
        List<Place> all = new ArrayList<>(pushers);
        all.addAll(poppers);
        return together(
                all, batch, (place, session) -> session.move(place.pushes() ? most : Long.MAX_VALUE, time, batch));
    }

    /** Pushes with one session. */
    Tally push(long messages, Duration most, int batch) {
        return together(pushers.subList(0, 1), batch, (place, session) -> session.move(messages, most, batch))
                .pushed();
    }

    boolean hasPendingPushes() {
        return pushers.stream().anyMatch(Place::hasPending);
    }

    /** Pushes the messages whose numbers are taken already, and pops so many, or for a while. */
    Run finish(long messages, Duration time, int batch) {
        long most = Math.max(1, messages / drainers.size());
        List<Place> all = new ArrayList<>(drainers);
        pushers.stream().filter(Place::hasPending).forEach(all::add);
        return together(all, batch, (place, session) -> session.move(place.pushes() ? 1 : most, time, batch));
    }

    private Run together(List<Place> places, int batch, BiFunction<Place, Session, Tally> work) {
        List<Session> sessions = places.stream().map(Place::open).toList();
        ExecutorService threads = Executors.newFixedThreadPool(places.size());
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Tally>> working = new ArrayList<>();
            for (int i = 0; i < places.size(); i++) {
                Place place = places.get(i);
                Session session = sessions.get(i);
                working.add(threads.submit(() -> {
                    start.await();
                    return work.apply(place, session);
                }));
            }
            double cpu = engine.cpuSeconds();
            long begun = System.nanoTime();
            start.countDown();
            Tally pushed = Tally.NONE;
            Tally popped = Tally.NONE;
            long commits = 0;
            for (int i = 0; i < places.size(); i++) {
                Tally tally = working.get(i).get();
                commits += tally.moved() / batch;
                if (places.get(i).pushes()) {
                    pushed = pushed.plus(tally);
                } else {
                    popped = popped.plus(tally);
                }
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            return new Run(pushed, popped, commits, seconds, engine.cpuSeconds() - cpu);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a session has failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
            for (int i = 0; i < places.size(); i++) {
                places.get(i).close(sessions.get(i));
            }
        }
    }
}

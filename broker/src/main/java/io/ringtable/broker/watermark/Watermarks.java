package io.ringtable.broker.watermark;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all publishers back while the broker runs short of something: no new credit, what comes with credit of before waits unread,
 * and what needs none is refused by name.
 * Consumers and settlements go on, since they are what makes room.
 * <p>
 * Thread: {@code watermarks} looks ten times a second; any asks. Failure: a gauge that throws counts as enough, and is named in the
 * log.
 */
public final class Watermarks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watermarks.class);
    private static final int LOOK_MS = 100;

    /** Nothing is ever short. */
    public static Watermarks none() {
        return new Watermarks(List.of());
    }

    private final List<Gauge> gauges;
    private final boolean[] isShort; // by gauge
    private volatile String shortage; // written by whoever looks, read by any; null = none
    private volatile Runnable onRelief = () -> {};
    private ScheduledExecutorService looking;

    public Watermarks(List<Gauge> gauges) {
        this.gauges = List.copyOf(gauges);
        this.isShort = new boolean[gauges.size()];
    }

    /** Begins to look. */
    public synchronized void start() {
        if (!gauges.isEmpty() && looking == null) {
            looking = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "watermarks");
                thread.setDaemon(true);
                return thread;
            });
            looking.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Looks at every gauge. */
    public synchronized void look() {
        String found = null;
        for (int i = 0; i < gauges.size(); i++) {
            String one = shortageOf(i);
            found = found == null ? one : found;
        }
        String before = shortage;
        shortage = found;
        if (found != null && before == null) {
            LOG.warn("RT-2346 all publishers are held back: {}", found);
        } else if (found == null && before != null) {
            LOG.info("RT-2347 publishers go on");
            relieve();
        }
    }

    private void relieve() {
        try {
            onRelief.run();
        } catch (RuntimeException stopping) { // it would end the looking
            LOG.debug("a listener has ended", stopping);
        }
    }

    private String shortageOf(int gauge) {
        try {
            String found = gauges.get(gauge).shortage(isShort[gauge]);
            isShort[gauge] = found != null;
            return found;
        } catch (RuntimeException failure) { // it would end the looking
            LOG.warn("RT-2348 a watermark cannot be read, and counts as not reached", failure);
            return null;
        }
    }

    public boolean isReached() {
        return shortage != null;
    }

    /** What is short, with values and the cure; null while nothing is. */
    public String shortage() {
        return shortage;
    }

    /** @param listener called on the thread that looks when publishers may go on */
    public void onRelief(Runnable listener) {
        onRelief = listener;
    }

    @Override
    public synchronized void close() {
        if (looking != null) {
            looking.shutdownNow();
        }
    }
}

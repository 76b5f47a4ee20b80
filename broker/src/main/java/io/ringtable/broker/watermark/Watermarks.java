package io.ringtable.broker.watermark;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all publishers back while the broker runs short of a resource. Publishers get no new credit, and messages sent
 * with earlier credit wait unread. The broker refuses messages that need no credit, with the reason. Consumers and
 * settlements go on, since they make room.
 * <p>
 * Thread: {@code watermarks} looks ten times a second; any asks. Failure: a gauge that throws counts as enough, and the
 * log names it.
 */
public final class Watermarks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watermarks.class);
    private static final int LOOK_MS = 100;

    /** Returns watermarks that are never reached. */
    public static Watermarks none() {
        return new Watermarks(List.of());
    }

    private final List<Gauge> gauges;
    private final boolean[] isShort; // by gauge
    private volatile String shortage; // written by the thread that looks, read by any; null = none
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
            LOG.warn("RT-2346 the broker holds all publishers back: {}", found);
        } else if (found == null && before != null) {
            LOG.info("RT-2347 publishers go on");
            relieve();
        }
    }

    private void relieve() {
        try {
            onRelief.run();
        } catch (RuntimeException stopping) { // thrown, it would end the schedule
            LOG.debug("a listener has failed", stopping);
        }
    }

    private String shortageOf(int gauge) {
        try {
            String found = gauges.get(gauge).shortage(isShort[gauge]);
            isShort[gauge] = found != null;
            return found;
        } catch (RuntimeException failure) { // thrown, it would end the schedule
            LOG.warn("RT-2348 a gauge of a watermark fails, and counts as not reached", failure);
            return null;
        }
    }

    public boolean isReached() {
        return shortage != null;
    }

    /** Returns what is short, with values and the cure; null while nothing is. */
    public String shortage() {
        return shortage;
    }

    /** Sets the listener for relief. @param listener called when publishers may go on, on the thread that looks */
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

package io.ringtable.acceptance.greed;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Records when each message of the honest client was due, came and was accepted. A message is due at its time even if
 * its publisher could not send it then. A broker that stops its publisher does not stop the clock.
 * <p>
 * Thread: written by the honest client's reader and publisher, read by any.
 */
final class HonestLog {
    private static final int MOST = 300_000; // five minutes

    private final long began;
    private final long intervalNanos;
    private final AtomicLongArray sent = new AtomicLongArray(MOST); // nanoTime, 0 = not yet; written by the publisher
    private final AtomicLongArray received = new AtomicLongArray(MOST); // nanoTime, 0 = not yet
    private final AtomicLongArray accepted = new AtomicLongArray(MOST);

    HonestLog(long began, int perSecond) {
        this.began = began;
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    long due(int number) {
        return began + number * intervalNanos;
    }

    void sent(int number, long now) {
        sent.set(number, now);
    }

    void received(int number, long now) {
        received.compareAndSet(number, 0, now);
    }

    void accepted(int number, long now) {
        accepted.set(number, now);
    }

    boolean isComplete(long from, long to) {
        return service(from, to).missing() == 0;
    }

    /** Of the messages that were due in this stretch; one that has not come counts with the time until now. */
    Service service(long from, long to) {
        int first = number(from);
        int count = number(to) - first;
        long[] endToEnd = new long[count];
        long[] accept = new long[count];
        long[] send = new long[count];
        long missing = 0;
        for (int i = 0; i < count; i++) {
            missing += received.get(first + i) == 0 ? 1 : 0;
            send[i] = taken(sent, first + i);
            endToEnd[i] = taken(received, first + i);
            accept[i] = taken(accepted, first + i);
        }
        double rate = (double) receivedBetween(from, to) / count;
        return new Service(Latencies.of(send), Latencies.of(endToEnd), Latencies.of(accept), rate, missing);
    }

    private int number(long time) {
        return Math.toIntExact((time - began) / intervalNanos);
    }

    private long taken(AtomicLongArray times, int number) {
        long time = times.get(number);
        return (time == 0 ? System.nanoTime() : time) - due(number);
    }

    private long receivedBetween(long from, long to) {
        long count = 0;
        for (int number = 0; number < number(to); number++) {
            long time = received.get(number);
            count += time != 0 && time - from >= 0 && time - to < 0 ? 1 : 0;
        }
        return count;
    }
}

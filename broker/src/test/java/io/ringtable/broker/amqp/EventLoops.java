package io.ringtable.broker.amqp;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

/** What the event loops of this process have used: unlike the time that passes, no other load on the machine adds to it. */
final class EventLoops {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private EventLoops() {}

    static long allocatedBytes() {
        return sum(THREADS::getThreadAllocatedBytes);
    }

    static long processorNanos() {
        return sum(THREADS::getThreadCpuTime);
    }

    private static long sum(LongUnaryOperator ofThread) {
        long sum = 0;
        for (long id : THREADS.getAllThreadIds()) {
            var info = THREADS.getThreadInfo(id);
            if (info != null && info.getThreadName().startsWith("amqp-io")) {
                sum += ofThread.applyAsLong(id);
            }
        }
        return sum;
    }
}

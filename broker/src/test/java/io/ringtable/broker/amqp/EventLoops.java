package io.ringtable.broker.amqp;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongUnaryOperator;

/**
 * Measures the processor time of this process's event loops: unlike elapsed time, it does not grow with other load on
 * the machine.
 */
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

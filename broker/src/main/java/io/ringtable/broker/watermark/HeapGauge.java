package io.ringtable.broker.watermark;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Measures how much of the heap is in use after a collection, where long-lived objects lie. The use between collections
 * may be garbage, and says nothing. The gauge works with every collector that tells its usage after collections (G1,
 * Serial, Parallel, ZGC).
 * <p>
 * While the heap is short and no collection comes by itself, as in an idle broker, the gauge asks for one, at growing
 * intervals. Otherwise a broker that is empty again would hold its publishers for ever.
 */
public final class HeapGauge implements Gauge {
    private static final int HYSTERESIS_PERCENT = 10;
    private static final long COLLECT_FIRST_NANOS = 10_000_000_000L;
    private static final long COLLECT_MOST_NANOS = 300_000_000_000L;

    /** Shows the part of the heap where long-lived objects lie. */
    interface Heap {
        /** Returns the per cent in use after the last collection; -1 = unknown. */
        double afterCollection();

        /** Returns the per cent in use now, garbage included. */
        double now();

        long collections();

        void collect();
    }

    private final int percent;
    private final Heap heap;
    private final LongSupplier nanoTime;
    private long collectionsSeen = -1;
    private long seenAt;
    private long patience = COLLECT_FIRST_NANOS;

    /** Makes a gauge. @param percent in use from which the heap is short; 10 to 99 */
    public HeapGauge(int percent) {
        this(percent, new Pools(), System::nanoTime);
    }

    HeapGauge(int percent, Heap heap, LongSupplier nanoTime) {
        this.percent = percent;
        this.heap = heap;
        this.nanoTime = nanoTime;
    }

    @Override
    public String shortage(boolean wasShort) {
        int mark = wasShort ? percent - HYSTERESIS_PERCENT : percent;
        double used = heap.afterCollection();
        if (used < mark || wasShort && heap.now() < mark) {
            collectionsSeen = -1;
            patience = COLLECT_FIRST_NANOS;
            return null;
        }
        collectIfNobodyDoes();
        return "the heap is at " + Math.round(used) + " % after a collection, ringtable.watermark.heap-percent="
                + percent + ": let consumers catch up, lower ringtable.dispatch.memory-bytes-max or raise -Xmx";
    }

    private void collectIfNobodyDoes() {
        long now = nanoTime.getAsLong();
        long collections = heap.collections();
        if (collections != collectionsSeen) {
            collectionsSeen = collections;
            seenAt = now;
        } else if (now - seenAt > patience) {
            patience = Math.min(COLLECT_MOST_NANOS, 2 * patience);
            seenAt = now;
            heap.collect();
            collectionsSeen = heap.collections();
        }
    }

    /** Reads the pools of this JVM. */
    private static final class Pools implements Heap {
        private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                .filter(pool -> !pool.getName().matches(".*(Eden|Survivor).*"))
                .toList();
        private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();

        @Override
        public double afterCollection() {
            double sum = pools.isEmpty() ? -1 : 0;
            for (MemoryPoolMXBean pool : pools) {
                sum += percentOf(pool.getCollectionUsage());
            }
            return sum;
        }

        @Override
        public double now() {
            double sum = 0;
            for (MemoryPoolMXBean pool : pools) {
                sum += percentOf(pool.getUsage());
            }
            return sum;
        }

        private static double percentOf(MemoryUsage usage) {
            long max =
                    usage.getMax() > 0 ? usage.getMax() : Runtime.getRuntime().maxMemory();
            return 100.0 * usage.getUsed() / max;
        }

        @Override
        public long collections() {
            long sum = 0;
            for (GarbageCollectorMXBean collector : collectors) {
                sum += collector.getCollectionCount();
            }
            return sum;
        }

        @Override
        public void collect() {
            System.gc();
        }
    }
}

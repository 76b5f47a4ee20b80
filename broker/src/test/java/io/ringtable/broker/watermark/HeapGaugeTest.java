package io.ringtable.broker.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeapGaugeTest {
    private final Fake heap = new Fake();
    private long now;
    private final HeapGauge gauge = new HeapGauge(85, heap, () -> now);

    private static final class Fake implements HeapGauge.Heap {
        private double after;
        private double inUse;
        private long collections;
        private int asked;

        @Override
        public double afterCollection() {
            return after;
        }

        @Override
        public double now() {
            return inUse;
        }

        @Override
        public long collections() {
            return collections;
        }

        @Override
        public void collect() {
            asked++;
            collections++;
            after = inUse;
        }
    }

    @Test
    void garbageIsNoShortage() {
        heap.after = 40;
        heap.inUse = 99;
        assertThat(gauge.shortage(false)).isNull();
    }

    @Test
    void whatIsShortStaysSoUntilThereIsClearlyMore() {
        heap.after = heap.inUse = 86;
        assertThat(gauge.shortage(false)).contains("the heap is at 86 %");
        heap.after = heap.inUse = 80;
        assertThat(gauge.shortage(true)).isNotNull();
        assertThat(gauge.shortage(false)).isNull();
        heap.after = heap.inUse = 74;
        assertThat(gauge.shortage(true)).isNull();
    }

    @Test
    void anIdleBrokerAsksForTheCollectionThatLetsItGoOn() {
        heap.after = 90;
        heap.inUse = 90;
        assertThat(gauge.shortage(false)).isNotNull();
        assertThat(gauge.shortage(true)).isNotNull();
        now += TimeUnit.SECONDS.toNanos(11);
        heap.collections++; // one came by itself, and found as much
        assertThat(gauge.shortage(true)).isNotNull();
        assertThat(heap.asked).isZero();
        now += TimeUnit.SECONDS.toNanos(11);
        assertThat(gauge.shortage(true)).isNotNull();
        assertThat(heap.asked).isEqualTo(1);
        now += TimeUnit.SECONDS.toNanos(11);
        gauge.shortage(true);
        assertThat(heap.asked).as("intervals grow").isEqualTo(1);
        heap.after = 20;
        assertThat(gauge.shortage(true)).isNull();
    }

    @Test
    void theHeapOfThisJvmIsMeasured() {
        System.gc();
        assertThat(new HeapGauge(99).shortage(false)).isNull();
        assertThat(new HeapGauge(0).shortage(false)).contains("% after a collection");
    }
}

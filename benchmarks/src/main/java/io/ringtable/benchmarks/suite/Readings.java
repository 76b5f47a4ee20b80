package io.ringtable.benchmarks.suite;

import io.ringtable.benchmarks.engine.Contention;
import io.ringtable.benchmarks.engine.Count;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.engine.Wait;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Collects the figures of a run as plain decimals of at most six digits, or words. Thread: the runner's. */
public final class Readings {
    public static final String DURABLE = "durable";
    public static final String NOT_DURABLE = "not durable";
    private static final MathContext DIGITS = new MathContext(6);
    private static final int WAITS_MAX = 5;

    private final Map<Figure, String> figures = new EnumMap<>(Figure.class);

    public void put(Figure figure, String word) {
        figures.put(figure, word);
    }

    public void put(Figure figure, long count) {
        figures.put(figure, Long.toString(count));
    }

    public void put(Figure figure, double value) {
        figures.put(figure, new BigDecimal(value, DIGITS).stripTrailingZeros().toPlainString());
    }

    /** Measures how long the disk of a directory takes for the smallest synced write. */
    public void putRawSync(Path directory) {
        try (FsyncProbe probe = new FsyncProbe(directory)) {
            put(Figure.RAW_SYNC_US, probe.medianMicros());
        }
    }

    /** Takes what sessions waited for. @param waits most first; nothing if none waited */
    public void putWaits(List<Wait> waits) {
        if (!waits.isEmpty()) {
            put(Figure.TOP_WAIT, waits.get(0).event());
            put(Figure.TOP_WAIT_SHARE, waits.get(0).share());
            put(
                    Figure.WAITS,
                    waits.stream()
                            .limit(WAITS_MAX)
                            .map(wait -> wait.event() + " " + Math.round(wait.share() * 100) + " %")
                            .collect(Collectors.joining("; ")));
        }
    }

    /** Takes the name of what was contended most, of each kind. */
    public void putContended(Map<Contention, String> contended) {
        contended.forEach((kind, name) -> put(Figure.valueOf("TOP_" + kind.name()), name));
    }

    /** Takes the engine's counts; a figure has the name of its count, and seconds for microseconds. */
    public void putCounts(Map<Count, Long> counts) {
        counts.forEach((count, value) -> {
            if (count == Count.CHECKPOINT_MICROS) {
                put(Figure.CHECKPOINT_SECONDS, value / 1e6);
            } else {
                put(Figure.valueOf(count.name()), value);
            }
        });
    }

    /** Marks the run. @param whyNot why its commits were not on the disk when they returned; empty if they were */
    public void putDurability(Optional<String> whyNot) {
        put(Figure.VERIFIED, whyNot.isPresent() ? NOT_DURABLE : DURABLE);
        whyNot.ifPresent(reason -> put(Figure.WHY_NOT, reason));
    }

    public Map<Figure, String> figures() {
        return figures;
    }
}

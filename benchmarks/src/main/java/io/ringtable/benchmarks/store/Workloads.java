package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;

/** Opens the compared designs by name. Thread: any. */
public final class Workloads {
    public static final String RING = "ring";
    public static final String NAIVE = "naive";

    private Workloads() {}

    /** Opens a design on an empty database of its own; closing the workload removes the database. */
    public static Workload open(Databases databases, String design, String engine, Shape shape) {
        return open(databases.create(engine), design, shape);
    }

    static Workload open(BenchmarkDatabase database, String design, Shape shape) {
        return switch (design) {
            case RING -> new RingWorkload(database, shape);
            case NAIVE -> new NaiveWorkload(database, shape);
            default -> throw new IllegalArgumentException("design=" + design + " is neither ring nor naive");
        };
    }

    /** Returns engine, version and durability, verified so that no figure stands beside a wrong description. */
    public static String describe(Databases databases, String engine) {
        try (BenchmarkDatabase database = databases.create(engine)) {
            return database.description();
        }
    }
}

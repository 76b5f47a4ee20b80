package io.ringtable.benchmarks.store;

/** The designs that are compared, by name. Thread: any. */
public final class Workloads {
    public static final String RING = "ring";
    public static final String NAIVE = "naive";

    private Workloads() {}

    /** On an empty database of its own, which it removes when it is closed. */
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

    /** Engine, version, durability: verified, so that a figure never stands beside the wrong words. */
    public static String describe(Databases databases, String engine) {
        try (BenchmarkDatabase database = databases.create(engine)) {
            return database.description();
        }
    }
}

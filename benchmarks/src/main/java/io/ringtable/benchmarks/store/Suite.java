package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.Databases;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Lists the comparisons, each with its question; the other cases are compared with the first case. */
enum Suite {
    /** What does a batch gain, and what does the ring gain beside it? */
    BATCHES {
        @Override
        List<Case> cases(String engine) {
            List<Case> cases = new ArrayList<>();
            cases.add(new Case("naive, one commit per message", Workloads.NAIVE, engine, Shape.of(1)));
            for (int batch : BATCH_SIZES) {
                if (batch > 1) {
                    cases.add(new Case("naive, batches of " + batch, Workloads.NAIVE, engine, Shape.of(batch)));
                }
            }
            for (int batch : BATCH_SIZES) {
                cases.add(new Case("ring, batches of " + batch, Workloads.RING, engine, Shape.of(batch)));
            }
            return cases;
        }
    },
    /** What do ten subscribers cost? */
    SUBSCRIBERS {
        @Override
        List<Case> cases(String engine) {
            Shape large = Shape.of(LARGE_BATCH);
            return List.of(
                    new Case("ring, 1 subscriber", Workloads.RING, engine, large),
                    new Case("ring, 10 subscribers", Workloads.RING, engine, large.withSubscribers(10)),
                    new Case("naive, 1 subscriber", Workloads.NAIVE, engine, large),
                    new Case("naive, 10 subscribers", Workloads.NAIVE, engine, large.withSubscribers(10)),
                    new Case("ring, 1, batches of 100", Workloads.RING, engine, large.withBatch(100)),
                    new Case(
                            "ring, 10, batches of 100",
                            Workloads.RING,
                            engine,
                            large.withBatch(100).withSubscribers(10)));
        }
    },
    /** Does the cost grow with the number of addresses, or with the backlog? */
    SIZES {
        @Override
        List<Case> cases(String engine) {
            Shape large = Shape.of(LARGE_BATCH);
            return List.of(
                    new Case("ring, 1 address", Workloads.RING, engine, large),
                    new Case("ring, 100 addresses", Workloads.RING, engine, large.withAddresses(100)),
                    new Case("ring, 10,000 addresses", Workloads.RING, engine, large.withAddresses(10_000)),
                    new Case("ring, backlog of 1,000,000", Workloads.RING, engine, large.withBacklogRows(1_000_000)),
                    new Case("naive, batched", Workloads.NAIVE, engine, large),
                    new Case(
                            "naive, batched, 1,000,000 queued",
                            Workloads.NAIVE,
                            engine,
                            large.withBacklogRows(1_000_000)));
        }
    },
    /** How much does the ledger write, with few and many settlements per flush, for one and for ten subscribers? */
    LEDGER {
        @Override
        List<Case> cases(String engine) {
            List<Case> cases = new ArrayList<>();
            for (int batch : new int[] {100, LARGE_BATCH}) {
                for (int subscribers : new int[] {1, 10}) {
                    cases.add(new Case(
                            "ring, " + subscribers + ", batches of " + batch,
                            Workloads.RING,
                            engine,
                            Shape.of(batch).withSubscribers(subscribers)));
                }
            }
            return cases;
        }
    },
    /** Does everything run? Both designs, with two subscribers. */
    SMOKE {
        @Override
        List<Case> cases(String engine) {
            Shape small = Shape.of(50).withSubscribers(2);
            return List.of(
                    new Case("ring", Workloads.RING, engine, small), new Case("naive", Workloads.NAIVE, engine, small));
        }
    },
    /** What does the ring reach at its target batch? For one figure, or under a profiler. */
    RING {
        @Override
        List<Case> cases(String engine) {
            return List.of(new Case("ring, batches of 2,000", Workloads.RING, engine, Shape.of(LARGE_BATCH)));
        }
    };

    private static final int[] BATCH_SIZES = {1, 10, 100, 500, 2_000};
    private static final int LARGE_BATCH = 2_000;

    abstract List<Case> cases(String engine);

    /** Describes one line of the table. */
    record Case(String name, String design, String engine, Shape shape) {

        Workload open(Databases databases) {
            return Workloads.open(databases, design, engine, shape);
        }
    }

    /** Returns the numbers of the cases in the order of a round: each round begins with another case. */
    static int[] order(int cases, int round) {
        return IntStream.range(0, cases).map(i -> (i + round) % cases).toArray();
    }
}

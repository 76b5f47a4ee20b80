package io.ringtable.benchmarks;

import io.ringtable.benchmarks.bench.BenchCommand;
import io.ringtable.benchmarks.endtoend.EndToEnd;
import io.ringtable.benchmarks.endtoend.RestartTime;
import io.ringtable.benchmarks.endtoend.Scaling;
import io.ringtable.benchmarks.flush.SnapshotHeld;
import io.ringtable.benchmarks.store.Comparison;
import io.ringtable.benchmarks.store.FlushBeside;
import io.ringtable.benchmarks.store.StoreProfiler;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Runs this module's own measurements: {@code java -jar benchmarks.jar NAME …}, where NAME is bench, compare, snapshot,
 * endtoend, cluster, beside or restart. Any other argument goes to JMH, with {@link StoreProfiler}.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        String first = args.length == 0 ? "" : args[0];
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        switch (first) {
            case "bench" -> BenchCommand.main(rest);
            case "compare" -> Comparison.main(rest);
            case "snapshot" -> SnapshotHeld.main(rest);
            case "endtoend" -> EndToEnd.main(rest);
            case "cluster" -> Scaling.main(rest);
            case "beside" -> FlushBeside.main(rest);
            case "restart" -> RestartTime.main(rest);
            default ->
                org.openjdk.jmh.Main.main(
                        Stream.concat(Arrays.stream(args), Stream.of("-prof", StoreProfiler.class.getName()))
                                .toArray(String[]::new));
        }
    }
}

package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures what shards cost, and says what they would earn on larger machines.
 * <p>
 * One broker has 1, 2, 4 or 8 shards, which share eight queues with a publisher and a consumer each. Its processor time
 * per message should stay the same. The model behind it has two bounds, from the medians of this run:
 * <ul>
 *   <li>All processors of a machine together: their number, divided by the processor time of a message.
 *   <li>One shard: its committer and the database's session take turns, and its dispatcher is one thread. So a shard
 *       cannot exceed what the slower of the two does. All of the database's time counts as that of the session.
 * </ul>
 * A flush waits for the disk once, however many messages it has, so that wait is no bound. The model leaves out what
 * this machine cannot show: locks between many sessions of one database, its one log, memory and network.
 * <p>
 * {@code cluster [engine=postgresql] [rounds=5] [seconds=10] [warmup=60] [jvm=-Xmx1g]}. Thread: main.
 */
public final class Scaling {
    private static final String SCENARIO = "8x1:1";
    private static final List<Broker> BROKERS =
            List.of(Broker.SHARDS_1, Broker.SHARDS_2, Broker.SHARDS_4, Broker.SHARDS_8);
    private static final int[] PROCESSORS = {2, 16, 64};
    private static final int[] SHARDS = {1, 2, 4, 8, 16, 32, 64};
    private static final int DATABASES = 3;

    /** Holds what a message takes, in microseconds of processor time. */
    record Costs(double broker, double database, double committer, double dispatcher) {
        static Costs of(Findings findings, Broker broker) {
            return new Costs(
                    findings.median(SCENARIO, broker, Figure.BROKER_CPU_US_PER_MESSAGE),
                    findings.median(SCENARIO, broker, Figure.DATABASE_CPU_US_PER_MESSAGE),
                    findings.median(SCENARIO, broker, Figure.COMMITTER_CPU_US_PER_MESSAGE),
                    findings.median(SCENARIO, broker, Figure.DISPATCHER_CPU_US_PER_MESSAGE));
        }

        double all() {
            return broker + database;
        }

        /** Returns the messages per second that one shard cannot exceed, however many processors there are. */
        double shardMost() {
            return 1e6 / Math.max(committer + database, dispatcher);
        }

        /** Returns the messages per second of a machine that has the broker and the database. */
        double together(int processors, int shards) {
            return Math.min(processors * 1e6 / all(), shards * shardMost());
        }

        /** Returns the messages per second of databases on machines of their own, and of brokers enough for them. */
        double apart(int databases, int processors, int shards) {
            return Math.min(databases * processors * 1e6 / database, shards * shardMost());
        }
    }

    private Scaling() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> options =
                new LinkedHashMap<>(Map.of("engine", "postgresql", "rounds", "5", "warmup", "60"));
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            if (parts.length < 2 || parts[0].equals("brokers") || parts[0].equals("scenarios")) {
                throw new IllegalArgumentException(
                        arg + " is none of engine= rounds= seconds= warmup= jvm=: this measurement has its own"
                                + " brokers and scenario; endtoend has others");
            }
            options.put(parts[0], parts[1]);
        }
        String brokers = String.join(",", BROKERS.stream().map(Broker::label).toList());
        Findings findings = EndToEnd.run(Stream.concat(
                        Stream.of("brokers=" + brokers, "scenarios=" + SCENARIO),
                        options.entrySet().stream().map(option -> option.getKey() + "=" + option.getValue()))
                .toArray(String[]::new));
        System.out.println(measured(findings));
        System.out.println(model(Costs.of(findings, Broker.SHARDS_1)));
    }

    private static Table measured(Findings findings) {
        double one = Costs.of(findings, Broker.SHARDS_1).all();
        Table table = new Table("shards", "us/msg", "to one shard", "broker", "committer", "dispatcher", "database");
        for (Broker broker : BROKERS) {
            Costs costs = Costs.of(findings, broker);
            table.row(
                    String.valueOf(broker.shards()),
                    Numbers.with(1, costs.all()),
                    Numbers.with(2, costs.all() / one),
                    Numbers.with(1, costs.broker()),
                    Numbers.with(2, costs.committer()),
                    Numbers.with(2, costs.dispatcher()),
                    Numbers.with(1, costs.database()));
        }
        return table;
    }

    /** Returns the messages per second that the model gives where a message costs what it does with one shard. */
    static Table model(Costs costs) {
        Table table = new Table(row(
                "model, msg/s", IntStream.of(SHARDS).mapToObj(count -> count + (count == 1 ? " shard" : " shards"))));
        for (int processors : PROCESSORS) {
            table.row(row(
                    processors + " processors for the broker and its database",
                    rates(shards -> costs.together(processors, shards))));
        }
        for (int processors : PROCESSORS) {
            table.row(row(
                    DATABASES + " databases of " + processors + " processors each, brokers apart",
                    rates(shards -> costs.apart(DATABASES, processors, shards))));
        }
        return table;
    }

    private static Stream<String> rates(IntToDoubleFunction ofShards) {
        return IntStream.of(SHARDS).mapToDouble(ofShards).mapToObj(Numbers::rate);
    }

    private static String[] row(String machine, Stream<String> cells) {
        return Stream.concat(Stream.of(machine), cells).toArray(String[]::new);
    }
}

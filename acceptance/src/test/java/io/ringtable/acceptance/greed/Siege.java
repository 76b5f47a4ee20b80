package io.ringtable.acceptance.greed;

import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.RawAmqp;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One attack on a broker of its own, with an honest client that works before, meanwhile and afterwards.
 * <p>
 * Thread: the test's.
 */
final class Siege {
    /** For what was due at the end to come. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Bench bench;
    private final AttackName name;
    private final Attack attack;
    private final Timing timing;
    private final UnaryOperator<BrokerSettings> store;
    private final UnaryOperator<BrokerSettings> settings;

    /** How long each part takes. */
    record Timing(Duration warmUp, Duration alone, Duration attacked, Duration after) {}

    /** @param settings of the broker, whatever the attack */
    Siege(Bench bench, AttackName name, Timing timing, UnaryOperator<BrokerSettings> settings) {
        this.bench = bench;
        this.name = name;
        this.attack = name.attack();
        this.timing = timing;
        this.store = Engine.any().on(bench);
        this.settings = settings;
    }

    SiegeReport run() {
        BrokerProcess broker = bench.broker(this::configure).start();
        try (Attackers attackers = new Attackers(name, broker.amqpPort());
                HonestClient honest = HonestClient.on(login(broker))) {
            HonestLog log = honest.log();
            BrokerLoad load = new BrokerLoad(broker, attackers.pid());
            Pace.pass(timing.warmUp());

            LongestTurns.ask(broker); // what was before does not count
            long begun = System.nanoTime();
            Pace.pass(timing.alone());
            long attacked = System.nanoTime();
            load.begin();
            HonestLogins logins = attack.hasUsers() ? new HonestLogins(broker.amqpPort()) : null;
            attackers.begin();
            Pace.pass(timing.attacked());
            attackers.awaitBite(); // on a busy machine it takes longer
            if (logins != null) {
                logins.close();
            }
            long over = System.nanoTime();
            String loadOfAttack = load.since(TimeUnit.NANOSECONDS.toMillis(over - attacked) / 1_000.0);
            String turns = LongestTurns.ask(broker);
            Deeds deeds = attackers.end();
            Pace.pass(timing.after());
            long ended = System.nanoTime();
            awaitAll(log, attacked, ended);
            return new SiegeReport(
                    name,
                    log.service(begun, attacked),
                    log.service(attacked, over),
                    loadOfAttack,
                    deeds,
                    "longest turns in ms: " + turns + (logins == null ? "" : "; " + logins),
                    misses(broker, honest, logins, deeds, log.service(over, ended)));
        } finally {
            broker.close();
        }
    }

    private BrokerSettings configure(BrokerSettings plain) {
        BrokerSettings configured = attack.configure(settings.apply(store.apply(plain.withDefaultRing())));
        return attack.hasUsers() ? GreedUsers.in(configured) : configured;
    }

    private RawAmqp login(BrokerProcess broker) {
        RawAmqp connection = bench.closing(RawAmqp.socket(broker.amqpPort()));
        return attack.hasUsers()
                ? connection.open("honest", GreedUsers.HONEST, GreedUsers.PASSWORD)
                : connection.open("honest");
    }

    private static void awaitAll(HonestLog log, long from, long to) {
        try {
            await().atMost(GRACE).until(() -> log.isComplete(from, to));
        } catch (ConditionTimeoutException missing) {
            // The report says how many are missing.
        }
    }

    /** Returns what is wrong beside the honest client's figures; empty if nothing is. */
    private String misses(BrokerProcess broker, HonestClient honest, HonestLogins logins, Deeds deeds, Service after) {
        StringBuilder misses = new StringBuilder(attack.violation(deeds));
        if (!broker.isAlive() || !broker.isReady()) {
            misses.append(" the broker is not ready at the end");
        }
        String brokerLog = broker.logs();
        if (brokerLog.contains("OutOfMemoryError")) {
            misses.append(" OutOfMemoryError");
        }
        if (brokerLog.lines().anyMatch(line -> line.startsWith(LogLines.FORGED))) {
            misses.append(" clients forged lines of the log");
        }
        if (!honest.failure().isEmpty()) {
            misses.append(" the honest client ended: ").append(honest.failure());
        }
        if (after.missing() > 0) {
            misses.append(" the honest client is not served afterwards");
        }
        if (logins != null && !logins.failures().isEmpty()) {
            misses.append(" honest logins failed");
        }
        return misses.toString().strip();
    }
}

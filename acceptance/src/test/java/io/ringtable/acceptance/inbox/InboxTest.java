package io.ringtable.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Publishes with eight applications in transactions that commit, roll back or die, and reads with four durable
 * subscribers, while the broker is killed. Each subscriber gets each message of a committed transaction once, except
 * flagged repetitions, in the order of its caller. Messages of other transactions never appear.
 */
class InboxTest {
    private static final Address TOPIC = Address.topic("bookings");
    private static final int APPLICATIONS = 8;
    private static final int SUBSCRIBERS = 4;
    private static final int KILLS = 3;
    private static final int BETWEEN_KILLS = 250;
    private static final Duration LONG = Duration.ofMinutes(2);

    @RegisterExtension
    final Bench bench = new Bench();

    private final Random random = new Random(17);

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void whatWasCommittedComesOnceAndWhatWasNotNever(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess broker =
                bench.broker(settings -> settings.store(database)).start();
        database.execute(Application.TABLE);
        List<Receipts> receipts = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            receipts.add(bench.closing(new Receipts(i, broker.amqpUrl(), TOPIC.name())));
        }
        List<Application> applications = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            Application application = new Application(i, database::connect, any -> TOPIC);
            applications.add(application);
            Thread thread = new Thread(application, "application-" + i);
            threads.add(thread);
            thread.start();
        }

        try {
            for (int kill = 0; kill < KILLS; kill++) {
                awaitMore(receipts, applications);
                broker.kill();
                broker.start();
            }
            awaitMore(receipts, applications);
        } finally {
            applications.forEach(Application::stop);
            for (Thread thread : threads) {
                thread.join(LONG.toMillis());
            }
        }

        Set<String> committed = new HashSet<>(database.ask("SELECT name FROM booking"));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(receipts)
                        .allSatisfy(each -> assertThat(each.count()).isGreaterThanOrEqualTo(committed.size())));
        applications.forEach(System.out::println);
        receipts.forEach(System.out::println);
        Set<String> unanswered = new HashSet<>();
        applications.forEach(each -> unanswered.addAll(each.unanswered()));
        receipts.forEach(each -> each.judge(committed, unanswered));
        assertThat(database.count("ringtable.inbox")).isZero();
    }

    /** Waits, and crashes an application wherever it stands whenever more has come, however slow the server is. */
    private void awaitMore(List<Receipts> receipts, List<Application> applications) {
        int before = receipts.get(0).count();
        AtomicInteger crashedAt = new AtomicInteger(before);
        await().atMost(LONG).pollInterval(Duration.ofMillis(50)).until(() -> {
            int count = receipts.get(0).count();
            if (count > crashedAt.getAndSet(count)) {
                applications.get(random.nextInt(APPLICATIONS)).crash();
            }
            return receipts.stream().allMatch(each -> each.count() >= before + BETWEEN_KILLS);
        });
    }
}

package io.ringtable.acceptance.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that was frozen while another one took its shard goes on: it tells nobody anything. */
class FrozenNodeTest {
    private static final int FREEZES = Integer.getInteger("freeze.freezes", 6);
    private static final long SEED = Long.getLong("freeze.seed", 847);
    private static final Duration LEASE = Duration.ofSeconds(2);

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void everyMessageIsAccountedForAfterFreezesAtRandomMoments() {
        FreezeRun run = new FreezeRun(bench, FREEZES, SEED);

        String line = run.run();

        System.out.println("freeze.seed=" + SEED);
        System.out.println(line);
        assertThat(run.account().violations()).as(line).isEmpty();
    }

    @Test
    void whatReachesAFrozenNodeIsNotAcceptedOrIsDelivered() {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        BrokerProcess first = on(server, url).start();
        BrokerProcess second = on(server, url).launch().awaitLog("standing by");
        Account account = new Account();
        LateSubscription trap = bench.closing(new LateSubscription(first, account, "directed", 200));

        freeze(first, second, trap);

        System.out.println(
                "late subscription: accepted by the frozen node " + trap.accepted() + " of 200; " + account.summary());
        assertThat(account.violations()).as(account.summary()).isEmpty();
    }

    @Test
    void whatAnotherNodeHasSettledDoesNotComeAgainFromAFrozenOne() {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        BrokerProcess first = on(server, url).start();
        BrokerProcess second = on(server, url).launch().awaitLog("standing by");
        Account account = new Account();
        HeldBacklog trap = bench.closing(new HeldBacklog(first, account, "directed", 2_000));

        freeze(first, second, trap);

        System.out.println("held backlog: " + account.summary());
        assertThat(account.violations()).as(account.summary()).isEmpty();
    }

    private static void freeze(BrokerProcess first, BrokerProcess second, Trap trap) {
        first.pause();
        assertThat(first.log()).as("the trap was set at the active node").doesNotContain("STANDBY");
        second.awaitReady();
        trap.spring(second);
        first.resume();
        trap.hearOut();
        trap.settle(second);
    }

    private BrokerProcess on(PostgresServer server, String url) {
        return bench.broker(settings -> settings.store(url, server.username(), server.password())
                .with("ringtable.lease", LEASE.toSeconds() + "s"));
    }
}

package io.ringtable.acceptance.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that was frozen while another one took its shard goes on: it tells nobody anything. */
class FrozenNodeTest {
    private static final int FREEZES = Integer.getInteger("freeze.freezes", 6);
    private static final long SEED = Long.getLong("freeze.seed", 847);
    private static final int TRIES = 5;

    /** The nodes of the two tests that freeze one of them once. */
    @RegisterExtension
    static final Bench ofBoth = new Bench();

    private static Nodes nodes; // null = none has begun

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
        Sprung<LateSubscription> sprung =
                freeze((active, account) -> new LateSubscription(active, account, "directed", 200));

        System.out.println("late subscription: accepted by the frozen node "
                + sprung.trap().accepted() + " of 200; " + sprung.account().summary());
        sprung.requireNoViolation();
    }

    @Test
    void whatAnotherNodeHasSettledDoesNotComeAgainFromAFrozenOne() {
        Sprung<HeldBacklog> sprung = freeze((active, account) -> new HeldBacklog(active, account, "directed", 2_000));

        System.out.println("held backlog: " + sprung.account().summary());
        sprung.requireNoViolation();
    }

    /** A trap that a node did or did not fall into, and what its clients saw. */
    private record Sprung<T extends Trap>(T trap, Account account) {
        void requireNoViolation() {
            assertThat(account.violations()).as(account.summary()).isEmpty();
        }
    }

    /** Again where the active node loses its shard before it is frozen, as it may on a busy machine. */
    private <T extends Trap> Sprung<T> freeze(BiFunction<BrokerProcess, Account, T> traps) {
        for (int tried = 1; tried <= TRIES; tried++) {
            if (nodes == null) {
                nodes = new Nodes(ofBoth, ofBoth.sharedPostgres());
            }
            Nodes.Node active = nodes.awaitActive();
            BrokerProcess frozen = active.broker();
            BrokerProcess other = nodes.other(active).broker();
            Account account = new Account();
            String before = frozen.log();
            T trap = bench.closing(traps.apply(frozen, account));
            frozen.pause();
            if (!frozen.log().substring(before.length()).contains("STANDBY")) {
                other.awaitReady();
                trap.spring(other);
                frozen.resume();
                trap.hearOut();
                trap.settle(other);
                return new Sprung<>(trap, account);
            }
            frozen.resume();
            nodes = null; // what the trap has sent stays there
        }
        throw new AssertionError("the active node loses its shard before it is frozen, " + TRIES + " times");
    }
}

package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.login.Logins;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a client with wrong passwords delays itself only. Counts hashes, each of which waits here until the test
 * lets it through.
 */
class LoginScenarioTest {
    private static final int ATTACKERS = 200;
    private static final int THREADS = Logins.THREADS;
    /** Some pass while the honest client's bytes are on their way. */
    private static final int A_FEW = 20;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String ELSEWHERE = "127.0.0.2";
    private static final String HERE = "127.0.0.1";

    @TempDir
    Path directory;

    private final Semaphore hashes = new Semaphore(0);
    private static final int FAILURES_MAX = TestSettings.of().logins().bounds().loginFailuresMax();

    private final AtomicInteger begun = new AtomicInteger();
    private final ConcurrentHashMap<String, Integer> ended = new ConcurrentHashMap<>();
    private final List<SaslPeer> peers = new ArrayList<>();
    private TestBroker broker;

    @BeforeEach
    void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.amqp.handshake-timeout", "5m").authenticator(this::hash));
    }

    @AfterEach
    void stop() throws Exception {
        for (SaslPeer peer : peers) {
            peer.close();
        }
        broker.close();
    }

    private boolean hash(String name, String password) {
        begun.incrementAndGet();
        try {
            if (!hashes.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("no hash was let through");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        ended.merge(name, 1, Integer::sum);
        return password.equals("right");
    }

    private SaslPeer peer(String from, String name, String password) throws Exception {
        SaslPeer peer = new SaslPeer(from, broker.port(), name, password);
        peers.add(peer);
        return peer;
    }

    /** All of them have been read when a peer of the same event loop that came later has been. */
    private void attack(String from, String name) throws Exception {
        for (int i = 0; i < ATTACKERS; i++) {
            peer(from, name, "wrong");
        }
        Awaitility.await()
                .until(() -> broker.counters().connectionsOpened.sum() >= ATTACKERS && begun.get() >= THREADS);
    }

    private int hashesUntil(SaslPeer honest) throws Exception {
        AtomicInteger outcome = new AtomicInteger(-2);
        Thread waiting = new Thread(() -> outcome.set(honest.outcome()), "honest");
        waiting.start();
        int let = 0;
        while (outcome.get() == -2 && let < 2 * ATTACKERS) {
            int before = endedHashes();
            hashes.release();
            let++;
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> outcome.get() != -2 || endedHashes() > before);
            waiting.join(20);
        }
        assertThat(outcome.get()).isEqualTo(SaslPeer.OK);
        return let;
    }

    private int endedHashes() {
        return ended.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void anHonestLoginWaitsForAFewHashesWhile200AttackersWait() throws Exception {
        attack(HERE, "shop");

        SaslPeer honest = peer(ELSEWHERE, "shop", "right");

        assertThat(hashesUntil(honest)).as("hashes until the honest login").isLessThanOrEqualTo(A_FEW);
    }

    @Test
    void anHonestLoginOfAKnownAddressWaitsForAFewHashesWhile200OthersAttack() throws Exception {
        hashes.release();
        assertThat(peer(HERE, "colleague", "right").outcome()).isEqualTo(SaslPeer.OK);
        int before = begun.get();
        for (int i = 1; i <= ATTACKERS; i++) {
            peer("127.0.1." + i, "shop", "wrong");
        }
        Awaitility.await()
                .until(() -> broker.counters().connectionsOpened.sum() > ATTACKERS && begun.get() >= before + THREADS);

        SaslPeer honest = peer(HERE, "shop", "right");

        assertThat(hashesUntil(honest)).as("hashes until the honest login").isLessThanOrEqualTo(A_FEW);
    }

    @Test
    void anHonestLoginOfTheAttackersAddressWaitsForAFewHashes() throws Exception {
        attack(HERE, "admin");

        SaslPeer honest = peer(HERE, "shop", "right");

        assertThat(hashesUntil(honest)).as("hashes until the honest login").isLessThanOrEqualTo(A_FEW);
    }

    @Test
    void wrongPasswordsCostAsManyHashesAsMayFail() throws Exception {
        hashes.release(10 * ATTACKERS);
        int putOff = 0;
        for (int i = 0; i < ATTACKERS; i++) {
            int outcome = peer(HERE, "shop", "wrong").outcome();
            assertThat(outcome).isIn(SaslPeer.AUTH, SaslPeer.TEMPORARILY_NOT);
            putOff += outcome == SaslPeer.TEMPORARILY_NOT ? 1 : 0;
        }

        int most = FAILURES_MAX + THREADS;
        assertThat(ended.get("shop")).as("hashes").isLessThanOrEqualTo(most);
        assertThat(putOff).isGreaterThanOrEqualTo(ATTACKERS - most);
        assertThat(broker.counters().loginsPutOff.sum()).isEqualTo(putOff);
    }

    @Test
    void aUserWhoWasRightLatelyCostsNoHashAndIsNotPutOff() throws Exception {
        hashes.release(10 * ATTACKERS);
        assertThat(peer(HERE, "shop", "right").outcome()).isEqualTo(SaslPeer.OK);
        for (int i = 0; i < FAILURES_MAX + 1; i++) {
            peer(HERE, "shop", "wrong").outcome();
        }
        int before = ended.get("shop");

        assertThat(peer(HERE, "shop", "right").outcome()).isEqualTo(SaslPeer.OK);

        assertThat(ended.get("shop")).as("hashes").isEqualTo(before);
    }

    @Test
    void aClientThatHasGoneCostsNoHash() throws Exception {
        attack(HERE, "shop");
        for (SaslPeer peer : peers) {
            peer.close();
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> broker.counters().connections.sum() == 0);
        hashes.release(10 * ATTACKERS);

        assertThat(peer(ELSEWHERE, "shop", "right").outcome()).isEqualTo(SaslPeer.OK);

        assertThat(ended.get("shop")).as("hashes").isLessThanOrEqualTo(THREADS + 1);
    }

    @Test
    void manyConnectionsOfOneUserAtOnceCostAHashOrTwo() throws Exception {
        List<SaslPeer> pool = new ArrayList<>();
        for (int i = 0; i < ATTACKERS; i++) {
            pool.add(peer(HERE, "shop", "right"));
        }
        hashes.release(10 * ATTACKERS);

        for (SaslPeer peer : pool) {
            assertThat(peer.outcome()).isEqualTo(SaslPeer.OK);
        }
        assertThat(ended.get("shop")).as("hashes").isLessThanOrEqualTo(THREADS);
    }
}

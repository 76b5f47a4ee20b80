package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.login.Logins;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
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
    /** Those that are made already, and three turns of the origins. */
    private static final int A_FEW = THREADS + 3;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String ELSEWHERE = "127.0.0.2";
    private static final String HERE = "127.0.0.1";
    private static final String APART = "127.0.0.3";

    @TempDir
    Path directory;

    private final Semaphore hashes = new Semaphore(0);
    private static final int FAILURES_MAX = TestSettings.of().logins().bounds().loginFailuresMax();

    private final AtomicInteger begun = new AtomicInteger();
    private final ConcurrentHashMap<String, Integer> ended = new ConcurrentHashMap<>();
    private final List<String> passwords = new CopyOnWriteArrayList<>(); // in the order in which their hashes ended
    private final List<SaslPeer> peers = new ArrayList<>();
    private TestBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.amqp.handshake-timeout", "5m").authenticator(this::hash));
        hashes.release();
        assertThat(peer(APART, "known", "right").outcome()).isEqualTo(SaslPeer.OK);
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
        passwords.add(password);
        return password.equals("right");
    }

    private SaslPeer peer(String from, String name, String password) throws Exception {
        SaslPeer peer = new SaslPeer(from, broker.port(), name, password);
        peers.add(peer);
        return peer;
    }

    /** Fills every thread that makes hashes. */
    private void attack(String from, String name) throws Exception {
        int before = begun.get();
        for (int i = 0; i < ATTACKERS; i++) {
            peer(from, name, "wrong");
        }
        Awaitility.await().until(() -> begun.get() >= before + THREADS);
    }

    /**
     * Waits until the broker has read what came before. Each event loop reads its connections in their order, and the
     * logins of a user whose password is known are answered when they are read.
     */
    private void everythingIsRead() throws Exception {
        int ioThreads = TestSettings.of().amqp().ioThreads();
        for (int loop = 0; loop < ioThreads; loop++) {
            assertThat(peer(APART, "known", "right").outcome()).isEqualTo(SaslPeer.OK);
        }
    }

    /** Returns which hash, counted from those under way, was that of the honest login. */
    private int hashesUntil(SaslPeer honest) throws Exception {
        everythingIsRead();
        int before = passwords.size();
        hashes.release(10 * ATTACKERS);
        assertThat(honest.outcome()).isEqualTo(SaslPeer.OK);
        List<String> hashed = List.copyOf(passwords); // others go on
        return hashed.subList(before, hashed.size()).indexOf("right") + 1;
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
        Awaitility.await().until(() -> begun.get() >= before + THREADS);

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
        everythingIsRead();
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

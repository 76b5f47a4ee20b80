package io.ringtable.broker.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.postgresql.PostgresqlInboxCalls;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Takes messages over from one real database to another, while calls and their answers are lost at random, owners
 * change and former ones go on. Invariants checked: each message arrives once, in the order of its application, and
 * nothing stays behind.
 */
@Timeout(120)
class InboxCrossingTest {
    private static final int FAR = 2;
    private static final int ORIGIN = 0;
    private static final int ROUNDS = 60;
    private static final int LOSSES = 5; // one call in so many
    private static final int OWNERS = 8; // one change in so many rounds

    private final List<Former> former = new ArrayList<>();
    private PostgresqlTestDatabase nearDatabase;
    private PostgresqlTestDatabase farDatabase;
    private OneTopic near;
    private OneTopic far;
    private Random random;

    /** A node that owned the shard. */
    private record Former(InboxCrossing crossing, long epoch) {}

    @BeforeEach
    void layTwo() throws Exception {
        try {
            nearDatabase = PostgresqlTestDatabase.migrated();
            farDatabase = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        near = OneTopic.laid(nearDatabase.open());
        far = OneTopic.laid(RingStores.open(farDatabase.settings().ofShard(FAR)), FAR);
    }

    @AfterEach
    void remove() throws Exception {
        former.forEach(node -> node.crossing().close());
        if (far != null) {
            far.close();
            near.close();
            farDatabase.close();
            nearDatabase.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void eachMessageArrivesOnceAndInOrderWhateverIsLost(long seed) throws Exception {
        random = new Random(seed);
        int laid = 0;
        former.add(owner());
        try (Connection application = nearDatabase.connect()) {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    new PostgresqlInboxCalls().publish(application, "orders", "message " + laid++, null);
                }
                passOn();
                carry(former.get(former.size() - 1));
                if (random.nextInt(OWNERS) == 0) {
                    far.own();
                    former.add(owner());
                }
                carry(former.get(random.nextInt(former.size()))); // who may not have heard that it is a former one
            }
        }
        try (InboxCrossing last = new InboxCrossing(ORIGIN, "near", this::farInNear)) {
            while (last.carry(far.store, far.epoch) > 0) {
                // the rest
            }
        }

        assertThat(arrived())
                .as("seed %d, %d owners", seed, former.size())
                .isEqualTo(
                        IntStream.range(0, laid).mapToObj(i -> "message " + i).toList());
        try (RingStore left = farInNear()) {
            assertThat(left.readInbox(Set.of(), 1, 1)).isEmpty();
        }
    }

    private Former owner() {
        return new Former(new InboxCrossing(ORIGIN, "near", () -> losing(farInNear())), far.epoch);
    }

    /** The store of the far shard in the near database. */
    private RingStore farInNear() {
        return RingStores.open(nearDatabase.settings().ofShard(FAR));
    }

    private void passOn() {
        List<Long> ids = near.store.readInbox(Set.of(), 1_000, 1 << 20).stream()
                .map(InboxRow::id)
                .toList();
        near.store.passOn(near.epoch, FAR, ids);
    }

    private void carry(Former node) {
        try {
            node.crossing().carry(losing(far.store), node.epoch());
        } catch (StoreFailure expected) {
            assertThat(expected.kind())
                    .isIn(StoreFailure.Kind.OUTCOME_UNKNOWN, StoreFailure.Kind.UNAVAILABLE, StoreFailure.Kind.FENCED);
        }
    }

    /** Loses a call, or its answer, now and then. */
    private RingStore losing(RingStore store) {
        return (RingStore) Proxy.newProxyInstance(
                RingStore.class.getClassLoader(), new Class<?>[] {RingStore.class}, (proxy, method, arguments) -> {
                    boolean fails = !method.getName().equals("close") && random.nextInt(LOSSES) == 0;
                    if (fails && random.nextBoolean()) {
                        throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "RT-3099", "the test loses the call");
                    }
                    Object answer;
                    try {
                        answer = method.invoke(store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                    if (fails) {
                        throw new StoreFailure(
                                StoreFailure.Kind.OUTCOME_UNKNOWN, "RT-3099", "the test loses the answer");
                    }
                    return answer;
                });
    }

    private List<String> arrived() {
        return far.store.readInbox(Set.of(), 10_000, 1 << 20).stream()
                .map(row -> new String(((InboxMessage) row).body(), StandardCharsets.UTF_8))
                .toList();
    }
}

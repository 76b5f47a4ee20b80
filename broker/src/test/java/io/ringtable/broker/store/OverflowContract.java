package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Large bodies are staged, named by the message wherever it stands, and deleted when nobody owes it. */
abstract class OverflowContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void aTopic() {
        f = fixture();
        topic = f.topic("scans", 1);
    }

    @Test
    void aStagedBodyIsReadBackWhole() {
        byte[] body = random(3 * 1024 * 1024 + 17);
        f.store.stage(f.epoch, 1L << 40, body);
        assertThat(f.store.readBody(1L << 40)).isEqualTo(body);
        f.reopen();
        assertThat(f.store.readBody(1L << 40)).isEqualTo(body);
    }

    @Test
    void bodiesOfOddLengthsSurvive() {
        int mib = 1 << 20;
        int[] lengths = {0, 1, mib - 1, mib, mib + 1, 2 * mib};
        for (int i = 0; i < lengths.length; i++) {
            f.store.stage(f.epoch, i + 1, random(lengths[i]));
        }
        for (int i = 0; i < lengths.length; i++) {
            assertThat(f.store.readBody(i + 1)).hasSize(lengths[i]);
        }
    }

    @Test
    void aMessageNamesItsBodyInTheRingAndInTheBacklog() {
        byte[] body = random(100_000);
        f.store.stage(f.epoch, 9, body);
        f.batch().publish(topic, null, 9, body.length, 0, 0, 4).flush();
        f.agrees();
        f.publish(topic, 1023);
        f.reclaim(1024);
        f.agrees();
        assertThat(f.backlogOf(f.subscription(topic, 0)).get(0).bodyId()).isEqualTo(9);
        assertThat(f.store.readBody(9)).isEqualTo(body);
    }

    @Test
    void bodiesThatNoMessageNamesAreOrphans() {
        for (long bodyId = 1; bodyId <= 4; bodyId++) {
            f.store.stage(f.epoch, bodyId, random(2_000_000));
        }
        f.batch().publish(topic, null, 2, 2_000_000, 0, 0, 4).flush();
        f.publish(topic, 1023);
        f.reclaim(1024);
        f.batch().publish(topic, null, 4, 2_000_000, 0, 0, 4).flush();
        assertThat(f.store.orphanedBodies()).containsExactlyInAnyOrder(1, 3);
        f.store.unstage(f.epoch, new long[] {1, 3});
        assertThat(f.store.orphanedBodies()).isEmpty();
        StoreFixture.fails(Kind.CORRUPT, () -> f.store.readBody(1));
        assertThat(f.store.readBody(2)).hasSize(2_000_000);
    }

    @Test
    void aBodyThatSeveralMessagesNameIsNoOrphanWhileOneOfThemIsOwed() {
        f.store.stage(f.epoch, 6, random(50_000));
        f.batch().publish(topic, null, 6, 50_000, 0, 0, 4).flush();
        f.publish(topic, 1023);
        f.settleAll(0, 1024);
        f.batch().publish(topic, null, 6, 50_000, 0, 0, 4).flush();
        f.reclaim(1024);
        assertThat(f.store.orphanedBodies()).isEmpty();
        assertThat(f.store.readBody(6)).hasSize(50_000);
        f.publish(topic, 1023);
        f.settleAll(1024, 2048);
        f.reclaim(2048);
        assertThat(f.store.orphanedBodies()).containsExactly(6);
    }

    /** Versions up to 0.2.0 gave negative ids in some weeks; the message may lie in the ring or in the backlog. */
    @Test
    void aBodyWithANegativeIdIsNoOrphanWhileItsMessageIsOwed() {
        f.store.stage(f.epoch, -7, random(50_000));
        f.batch().publish(topic, null, -7, 50_000, 0, 0, 4).flush();
        assertThat(f.store.orphanedBodies()).isEmpty();
        f.publish(topic, 1023);
        f.reclaim(1024);
        assertThat(f.store.orphanedBodies()).isEmpty();
        assertThat(f.store.readBody(-7)).hasSize(50_000);
    }

    @Test
    void aBodyThatOnlyAPassedSlotNamesIsAnOrphan() {
        f.store.stage(f.epoch, 5, random(50_000));
        f.batch().publish(topic, null, 5, 50_000, 0, 0, 4).flush();
        f.publish(topic, 1023);
        f.settleAll(0, 1024);
        assertThat(f.store.orphanedBodies()).isEmpty();
        f.reclaim(1024);
        assertThat(f.store.orphanedBodies()).containsExactly(5);
    }

    @Test
    void deletingWhatIsNotThereIsHarmless() {
        f.store.unstage(f.epoch, new long[0]);
        f.store.unstage(f.epoch, new long[] {77});
        assertThat(f.store.orphanedBodies()).isEmpty();
    }

    @Test
    void aMissingChunkOrBodyIsCorrupt() throws Exception {
        f.store.stage(f.epoch, 1, random(2_500_000));
        f.database.loseChunk(1);
        StoreFixture.fails(Kind.CORRUPT, () -> f.store.readBody(1));
        StoreFixture.fails(Kind.CORRUPT, () -> f.store.readBody(404));
    }

    @Test
    void recoverySaysWhetherALargeBodyIsThere() throws Exception {
        f.store.stage(f.epoch, 1, random(1_500_000));
        f.store.stage(f.epoch, 2, random(1_500_000));
        f.batch()
                .publish(topic, null, 1, 1_500_000, 0, 0, 4)
                .publish(topic, null, 2, 1_500_000, 0, 0, 4)
                .publish(topic, null, 3, 1_500_000, 0, 0, 4)
                .publish(topic, null, 2, 1_500_001, 0, 0, 4)
                .publish(topic, 1)
                .flush();
        f.database.loseChunk(1);
        List<Boolean> complete = new ArrayList<>();
        f.store.recover(f.epoch, row -> complete.add(row.bodyComplete()));
        assertThat(complete).containsExactly(false, true, false, false, true);
    }

    @Test
    void aFormerOwnerStagesAndDeletesNothing() {
        f.store.stage(f.epoch, 1, random(10));
        StoreFixture.fails(Kind.FENCED, () -> f.store.stage(f.epoch - 1, 2, random(10)));
        StoreFixture.fails(Kind.FENCED, () -> f.store.unstage(f.epoch - 1, new long[] {1}));
        assertThat(f.store.orphanedBodies()).containsExactly(1);
    }

    private byte[] random(int length) {
        byte[] body = new byte[length];
        f.random.nextBytes(body);
        return body;
    }
}

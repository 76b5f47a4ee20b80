package io.ringtable.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {
    private static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);

    @Test
    void slotAndLapFollowFromTheSequence() {
        int capacity = GEOMETRY.capacity();
        assertThat(GEOMETRY.slotOf(3L * capacity + 7)).isEqualTo(7);
        assertThat(GEOMETRY.lapOf(3L * capacity + 7)).isEqualTo(3);
        assertThat(GEOMETRY.segmentSize() % RingGeometry.BLOCK).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8_191, 8_193, 10_000, (1 << 24) + 8_192, -8_192})
    void aCapacityThatIsNotWholeSegmentsIsRefusedByName(int capacity) {
        assertThatThrownBy(() -> new RingGeometry(capacity))
                .hasMessageStartingWith("RT-1003")
                .hasMessageContaining(Integer.toString(capacity));
    }

    @Test
    void roomIsWhatTheGateHasFreed() {
        Ring ring = new Ring(GEOMETRY, 0, 0);
        ring.claimed(GEOMETRY.capacity());
        assertThat(ring.room()).isZero();
        ring.raiseGate(1_024);
        assertThat(ring.room()).isEqualTo(1_024);
    }

    @Test
    void neverClaimsWhatTheGateHasNotPassed() {
        Ring ring = new Ring(GEOMETRY, 0, GEOMETRY.capacity());
        assertThatThrownBy(() -> ring.claimed(1)).hasMessageStartingWith("RT-2902");
    }

    @Test
    void theGateNeitherFallsNorPassesNext() {
        Ring ring = new Ring(GEOMETRY, 1_024, 2_000);
        assertThatThrownBy(() -> ring.raiseGate(0)).hasMessageStartingWith("RT-2901");
        assertThatThrownBy(() -> ring.raiseGate(2_048)).hasMessageStartingWith("RT-2902");
    }

    @Test
    void theLastReferenceEndsAMessageOnce() {
        References references = new References(GEOMETRY);
        references.claimed(9, 1, 0, 0b101, 300);
        assertThat(references.countOwed(0, 20)).isEqualTo(1);
        assertThat(references.settled(9, 0b001)).isFalse();
        assertThat(references.settled(9, 0b100)).isTrue();
        assertThat(references.settled(9, 0b100)).isFalse();
        assertThat(references.countOwed(0, 20)).isZero();
    }
}

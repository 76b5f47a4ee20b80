package io.ringtable.broker.ring;

/**
 * Says where a ring stands: {@code gate <= next <= gate + capacity}.
 * <p>
 * Thread: committer changes it; any reads it, for status.
 */
public final class Ring {
    private final RingGeometry geometry;
    private volatile long gate; // written by committer
    private volatile long next; // written by committer

    public Ring(RingGeometry geometry, long gate, long next) {
        this.geometry = geometry;
        this.gate = gate;
        this.next = next;
        check();
    }

    public RingGeometry geometry() {
        return geometry;
    }

    /** Returns the number below which the ring has been cleared. */
    public long gate() {
        return gate;
    }

    /** Returns the number that the next message gets. */
    public long next() {
        return next;
    }

    public long room() {
        return gate + geometry.capacity() - next;
    }

    public void claimed(int messages) {
        next = next + messages;
        check();
    }

    public void raiseGate(long newGate) {
        if (newGate < gate) {
            throw new IllegalStateException("RT-2901 the gate does not fall: " + newGate + " < " + gate);
        }
        gate = newGate;
        check();
    }

    private void check() {
        if (gate > next || next > gate + geometry.capacity()) {
            throw new IllegalStateException("RT-2902 gate <= next <= gate + capacity does not hold: gate=" + gate
                    + " next=" + next + " capacity=" + geometry.capacity());
        }
    }

    @Override
    public String toString() {
        return "gate=" + gate + " next=" + next + " capacity=" + geometry.capacity();
    }
}

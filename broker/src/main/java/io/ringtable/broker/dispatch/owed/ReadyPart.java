package io.ringtable.broker.dispatch.owed;

import org.roaringbitmap.longlong.Roaring64Bitmap;

/** A part of what is ready in the store, for somebody who only looks. */
public sealed interface ReadyPart permits ReadyPart.Sequences, Reading.BacklogStretch {

    /** Rows of the ring or of the backlog. */
    record Sequences(Roaring64Bitmap bits) implements ReadyPart {

        /** The first of them, in order. */
        public long[] first(int max) {
            return PriorityLevel.first(bits, max, Long.MAX_VALUE);
        }
    }
}

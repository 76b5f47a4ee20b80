package io.ringtable.broker.dispatch.owed;

import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Names a part of what is ready in the store, for a browser. */
public sealed interface ReadyPart permits ReadyPart.Sequences, Reading.BacklogStretch {

    /** Names rows of the ring or of the backlog. */
    record Sequences(Roaring64Bitmap bits) implements ReadyPart {

        /** Returns the first of them, in order. */
        public long[] first(int max) {
            return PriorityLevel.first(bits, max, Long.MAX_VALUE);
        }
    }
}

package io.ringtable.broker.commit;

import io.ringtable.broker.work.Work;
import java.util.List;

/**
 * Holds a work, and which subscriptions do not want its messages.
 *
 * @param unwanted for each message the bits of each group of subscriptions that do not want it, null where nobody was asked; empty if
 *     nobody was asked about any
 */
record FilteredWork(Work work, List<long[]> unwanted) {

    /** Nobody was to be asked. */
    static FilteredWork whole(Work work) {
        return new FilteredWork(work, List.of());
    }

    /**
     * @param masks of those who are owed what is published to its address
     * @return them without those who do not want the message
     */
    long[] masks(int message, long[] masks) {
        long[] not = unwanted.isEmpty() ? null : unwanted.get(message);
        if (not == null) {
            return masks;
        }
        long[] wanted = masks.clone();
        for (int group = 0; group < Math.min(masks.length, not.length); group++) {
            wanted[group] &= ~not[group];
        }
        return wanted;
    }
}

package io.ringtable.broker.commit;

import io.ringtable.broker.work.Work;
import java.util.List;

/**
 * Holds a work, and which subscriptions do not want its messages.
 *
 * @param unwanted for each message the bits of unwilling subscriptions, by group; null where none was asked. Empty if
 *     none was asked about any message
 */
record FilteredWork(Work work, List<long[]> unwanted) {

    /** Holds a work about which no subscription need be asked. */
    static FilteredWork whole(Work work) {
        return new FilteredWork(work, List.of());
    }

    /**
     * Removes the subscriptions that do not want a message.
     *
     * @param masks of the subscriptions of its address
     * @return the masks of those that want the message
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

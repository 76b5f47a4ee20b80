package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;

/**
 * Gathers the works that go into the next flush, and knows how much of it they take.
 * <p>
 * Thread: committer.
 */
final class FlushPlan {
    /** References of messages in one flush: committer and dispatcher go through them one by one while the others wait. */
    private static final int REFERENCES_MAX = 65_536;

    /**
     * What a work takes at most.
     *
     * @param slots of the ring
     * @param references of all its messages together
     */
    record Size(int slots, int references, int bytes) {
        static Size of(Work work, Catalog catalog) {
            int slots = 0;
            int references = 0;
            int bytes = 0;
            for (Message message : work.messages()) {
                AddressEntry address = catalog.entry(message.address().id());
                if (address != null) {
                    slots += address.masks().length;
                    references += address.references();
                }
                bytes += message.bytes();
            }
            return new Size(slots, references, bytes);
        }
    }

    private final int slotsMax;
    private final int bytesMax;
    private final List<FilteredWork> works = new ArrayList<>();
    private int slots;
    private int references;
    private long bytes;

    FlushPlan(int slotsMax, int bytesMax) {
        this.slotsMax = slotsMax;
        this.bytesMax = bytesMax;
    }

    /** A work that is larger than a whole flush has one for itself. */
    boolean hasRoomFor(Size size) {
        return works.isEmpty()
                || slots + size.slots() <= slotsMax
                        && references + size.references() <= REFERENCES_MAX
                        && bytes + size.bytes() <= bytesMax;
    }

    void add(FilteredWork work, Size size) {
        works.add(work);
        slots += size.slots();
        references += size.references();
        bytes += size.bytes();
    }

    List<FilteredWork> works() {
        return works;
    }

    /** Slots of the ring that the works take at most. */
    int slots() {
        return slots;
    }
}

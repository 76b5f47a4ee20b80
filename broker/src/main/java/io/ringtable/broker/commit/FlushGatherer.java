package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Gathers as many works as one flush takes, in order. The rest waits in the mailbox, or until subscriptions with
 * selectors have answered.
 * <p>
 * Thread: committer.
 */
final class FlushGatherer {
    private final DisruptorMailbox mailbox;
    private final Catalog catalog;
    private final RingRoom room;
    private final BiConsumer<Work, Refusal> refuse;
    private final SelectorFilter filter;
    private final GroupCommitDelay delay;
    private final int messagesMax;
    private final int bytesMax;

    /**
     * @param messagesMax most messages in one flush
     * @param bytesMax most bytes of messages in one flush
     * @param refuse gets the works for which the ring has no room
     * @param clockMs ms since the epoch
     */
    FlushGatherer(
            int messagesMax,
            int bytesMax,
            GroupCommitDelay delay,
            DisruptorMailbox mailbox,
            Catalog catalog,
            RingRoom room,
            BiConsumer<Work, Refusal> refuse,
            LongSupplier clockMs) {
        this.mailbox = mailbox;
        this.catalog = catalog;
        this.room = room;
        this.refuse = refuse;
        this.filter = new SelectorFilter(catalog, clockMs);
        this.delay = delay;
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
    }

    List<FilteredWork> gather() {
        FlushPlan plan = new FlushPlan(messagesMax, bytesMax);
        filter.begin();
        takeFiltered(plan); // works of earlier turns
        takeFromMailbox(plan);
        takeFiltered(plan);
        return plan.works();
    }

    private void takeFiltered(FlushPlan plan) {
        for (FilteredWork work; (work = filter.peek()) != null && take(work, plan); ) {
            filter.take();
        }
    }

    private void takeFromMailbox(FlushPlan plan) {
        delay.begin();
        int asked = 0;
        for (Work work; asked < messagesMax && (work = nextWork(plan)) != null; mailbox.take()) {
            if (work.recipient() == null && filter.concerns(work)) {
                filter.add(work);
                asked++;
            } else if (!take(FilteredWork.whole(work), plan)) {
                return;
            }
        }
    }

    /** @return false if the flush is full */
    private boolean take(FilteredWork work, FlushPlan plan) {
        FlushPlan.Size size = FlushPlan.Size.of(work.work(), catalog);
        if (!plan.hasRoomFor(size)) {
            return false;
        }
        Refusal refusal = room.makeFor(size.slots(), plan.slots());
        if (refusal == null) {
            plan.add(work, size);
        } else {
            refuse.accept(work.work(), refusal);
        }
        return true;
    }

    /** @return null if the mailbox is empty and the flush waits no longer for more works */
    private Work nextWork(FlushPlan plan) {
        Work work = mailbox.peek();
        while (work == null && filter.isEmpty() && delay.step(plan.works(), plan.slots())) {
            work = mailbox.peek();
        }
        return work;
    }

    /** Answers whether subscriptions are still being asked about works. */
    boolean isFiltering() {
        return !filter.isEmpty();
    }

    /** Refuses all works that wait: the committer has ended. */
    void refuseAll(Refusal refusal) {
        filter.refuseAll(refusal);
    }
}

package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.function.Supplier;

/**
 * Refuses what should become durable in a shard that is away. Nothing counts the places in quotas any more, since the
 * shard has other addresses in memory once it is back.
 * <p>
 * Thread: any.
 *
 * @param why gives the reason as it is at each call
 */
record AwayCommitter(Supplier<Refusal> why) implements CommitterMailbox {
    @Override
    public boolean trySubmit(Work work) {
        refuse(work.completion());
        return true;
    }

    @Override
    public void onRoom(Runnable listener) {
        listener.run();
    }

    @Override
    public void settle(Settle settlement, Completion completion) {
        if (completion != null) {
            refuse(completion);
        }
    }

    private void refuse(Completion completion) {
        completion.refused(why.get());
        completion.mailbox().wake();
    }

    @Override
    public void failed(Subscription subscription, Flush.Redelivery redelivery) {
        // The message comes again, flagged, once the shard is back.
    }

    @Override
    public void dispatchBound(Subscription subscription, Flush.DispatchBound bound) {
        // Recovery reads the bounds that are durable.
    }

    @Override
    public void fence(Subscription subscription) {
        // Nobody waits for it.
    }
}

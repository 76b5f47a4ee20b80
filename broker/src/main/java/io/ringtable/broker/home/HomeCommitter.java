package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.List;

/**
 * Hands each work to the committer of its home. Stored messages and settlements of a work have one home (ADR 50).
 * Messages to temporary addresses of other shards follow once the rest is durable.
 * <p>
 * Thread: any.
 */
final class HomeCommitter implements CommitterMailbox {
    /** Hears of messages that nobody waits for. */
    private static final Completion NOBODY = new Completion() {
        @Override
        public void accepted() {
            // what it was for is over
        }

        @Override
        public void refused(Refusal refusal) {
            // the address has gone with its connection, or the shard stops
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    };

    private final List<? extends Shard> shards;

    HomeCommitter(List<? extends Shard> shards) {
        this.shards = shards;
    }

    private CommitterMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).committer();
    }

    @Override
    public boolean trySubmit(Work work) {
        int home = homeOf(work);
        for (Message message : work.messages()) {
            if (ShardIds.shardOf(message.address().id()) != home) {
                return shards.get(home).committer().trySubmit(ScatteredWork.of(work, home, this));
            }
        }
        return shards.get(home).committer().trySubmit(work);
    }

    /** Returns the shard of what is stored in the work, or else the one of its first message. */
    private static int homeOf(Work work) {
        if (!work.settlements().isEmpty()) {
            return ShardIds.shardOf(work.settlements().get(0).subscription().id());
        }
        for (Message message : work.messages()) {
            if (!message.address().isTemporary()) {
                return ShardIds.shardOf(message.address().id());
            }
        }
        return ShardIds.shardOf(work.messages().get(0).address().id());
    }

    @Override
    public void onRoom(Work work, Runnable listener) {
        shards.get(homeOf(work)).committer().onRoom(work, listener);
    }

    /** Gives back the place and the body of a message that will not be handed in. */
    void giveUp(Message message) {
        message.address().quota().release(1, message.bytes());
        shards.get(ShardIds.shardOf(message.address().id())).abandon(List.of(message));
    }

    /** Hands in a message that nobody waits for, as soon as there is room. */
    void submitAtLast(Message message) {
        submitAtLast(of(message.address().id()), Work.publish(message, NOBODY));
    }

    private static void submitAtLast(CommitterMailbox committer, Work work) {
        if (!committer.trySubmit(work)) {
            committer.onRoom(work, () -> submitAtLast(committer, work));
        }
    }

    @Override
    public void settle(Settle settlement, Completion completion) {
        of(settlement.subscription().id()).settle(settlement, completion);
    }

    @Override
    public void failed(Subscription subscription, Flush.Redelivery redelivery) {
        of(subscription.id()).failed(subscription, redelivery);
    }

    @Override
    public void dispatchBound(Subscription subscription, Flush.DispatchBound bound) {
        of(subscription.id()).dispatchBound(subscription, bound);
    }

    @Override
    public void fence(Subscription subscription) {
        of(subscription.id()).fence(subscription);
    }
}

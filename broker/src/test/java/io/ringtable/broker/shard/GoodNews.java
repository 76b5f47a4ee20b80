package io.ringtable.broker.shard;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;

/** Hears only good news: a refusal says that nothing of the work is durable, or that the node has crashed. */
abstract class GoodNews implements Completion {
    @Override
    public void refused(Refusal refusal) {}

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }
}

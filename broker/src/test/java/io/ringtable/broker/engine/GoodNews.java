package io.ringtable.broker.engine;

import io.ringtable.broker.commit.Completion;
import io.ringtable.broker.commit.Mailbox;
import io.ringtable.broker.message.Refusal;

/** Hears only good news: a refusal says that nothing of the work is durable, or that the node has crashed. */
abstract class GoodNews implements Completion {
    @Override
    public void refused(Refusal refusal) {}

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }
}

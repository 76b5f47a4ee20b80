package io.ringtable.broker.inspect;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Publishes what an operator writes, as any publisher: within the address's quota, and answered when it is durable.
 * <p>
 * Thread: any; stages complete on the committer's or the stager's thread.
 */
final class MessageSender {
    private final Supplier<Shard> node;

    MessageSender(Supplier<Shard> node) {
        this.node = node;
    }

    /** Publishes a message. The stage fails with {@link Refusal.Refused} if it is not stored. */
    CompletableFuture<Void> send(Message message) {
        Address address = message.address();
        if (!address.quota().tryReserve(1, message.bytes())) {
            return CompletableFuture.failedFuture(new Refusal.Refused(full(address, message.bytes())));
        }
        CompletableFuture<Void> sent = new CompletableFuture<>();
        if (message.bodyId() == 0) {
            submit(message, sent);
        } else {
            node.get().homeOf(address).stager().stage(message.bodyId(), message.encoded(), refusal -> {
                if (refusal == null) {
                    submit(message, sent);
                } else {
                    address.quota().release(1, message.bytes());
                    sent.completeExceptionally(new Refusal.Refused(refusal));
                }
            });
        }
        return sent;
    }

    private static Refusal full(Address address, int bytes) {
        AddressQuota quota = address.quota();
        return new Refusal(
                Refusal.Reason.LIMIT,
                "RT-7223",
                address + " has no room for a message of " + bytes + " bytes: " + quota.messages() + " of "
                        + quota.messagesMax() + " messages, " + quota.bytes() + " of " + quota.bytesMax()
                        + " bytes: take messages from it or raise its quota");
    }

    private void submit(Message message, CompletableFuture<Void> sent) {
        trySubmit(Work.publish(message, new Completion() {
            @Override
            public void accepted() {
                sent.complete(null);
            }

            @Override
            public void refused(Refusal refusal) {
                sent.completeExceptionally(new Refusal.Refused(refusal));
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        }));
    }

    private void trySubmit(Work work) {
        CommitterMailbox committer = node.get().committer();
        if (!committer.trySubmit(work)) {
            committer.onRoom(work, () -> trySubmit(work));
        }
    }
}

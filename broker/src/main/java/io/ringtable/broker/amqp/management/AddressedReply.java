package io.ringtable.broker.amqp.management;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.List;

/**
 * Holds one answer on its way to an address, and its place in the quota. Holds its body while that is staged, and its
 * work while the committer has no room.
 * <p>
 * Thread: the connection's event loop; the committer calls {@link #accepted} and {@link #refused}, which put the answer
 * into the mailbox.
 */
final class AddressedReply implements Completion, ConnectionMailbox.Event, HandOff.Waiting {
    private final AddressReplies replies;
    private final ConnectionMailbox mailbox;
    private final HandOff handOff;
    private final HandOff.ToHome toHome;
    private final StagerMailbox stager;
    private final Message message;
    private final Runnable done;
    private boolean staged;
    private boolean lost;
    private Refusal refusal; // written by the committer before it puts the answer into the mailbox

    /** Makes an answer that holds one place of the address's quota, and its bytes. */
    AddressedReply(AddressReplies replies, Publishing publishing, Address address, byte[] encoded, Runnable done) {
        this.replies = replies;
        this.mailbox = publishing.connection().mailbox();
        this.handOff = publishing.handOff();
        Home home = publishing.shard().homeOf(address);
        this.toHome = handOff.to(home);
        this.stager = home.stager();
        this.done = done;
        this.message = new Message(
                address,
                System.currentTimeMillis(),
                Message.PRIORITY_NORMAL,
                0,
                0,
                encoded,
                home.bodyIds().idFor(encoded),
                null,
                publishing.connection().containerId(),
                PublisherLogin.BROKER,
                0);
    }

    /** Stages the body where it is large, then hands the message in. */
    void begin() {
        replies.waits(this);
        if (message.bodyId() == 0) {
            onStaged(null);
        } else {
            stager.stage(message.bodyId(), message.encoded(), failed -> mailbox.post(() -> onStaged(failed)));
        }
    }

    private void onStaged(Refusal failed) {
        if (lost) {
            stager.abandon(Message.bodyIds(List.of(message)));
            return;
        }
        staged = true;
        if (failed == null) {
            advance();
        } else {
            abandon();
            replies.dropped(message.address().name(), failed);
            done.run();
        }
    }

    @Override
    public void advance() {
        if (toHome.submit(Work.publish(message, this))) {
            forget();
        } else {
            handOff.waits(this);
        }
    }

    private void forget() {
        handOff.waitsNoMore(this);
        replies.waitsNoMore(this);
    }

    private void abandon() {
        forget();
        message.address().quota().release(1, message.bytes());
        if (staged) {
            stager.abandon(Message.bodyIds(List.of(message)));
        }
    }

    /** Gives up what is not handed in yet: the connection is gone. */
    void lost() {
        lost = true;
        abandon();
        done.run();
    }

    @Override
    public void accepted() {
        mailbox.put(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        mailbox.put(this);
    }

    @Override
    public Mailbox mailbox() {
        return mailbox;
    }

    @Override
    public void onEventLoop() {
        if (refusal != null) {
            replies.dropped(message.address().name(), refusal);
        }
        done.run();
        handOff.answered();
    }
}

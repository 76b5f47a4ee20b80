package io.ringtable.broker.amqp.link;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Divides the credit of one consumer among the nodes that have parts of its queue (ADR 74). Each of them has a share.
 * <p>
 * The shares are asked in turn, each with all credit that is free and a drain. So credit comes back from one that has
 * nothing. Once all have had nothing, each gets an equal share and waits, until one of them has used up its own. With
 * less credit than shares each waits with the credit of one message. A message that comes then without credit is given
 * back.
 * <p>
 * One of them may have the old home of a topic that moves (ADR 88). Its share comes first: the others get no credit
 * before it has answered a drain without a replay. While the old home replays, it is asked again every
 * {@value #REPLAY_MS} ms.
 * <p>
 * Thread: the event loop of the client's connection.
 */
public final class SharedCredit implements ConnectionMailbox.Event {
    private static final long REPLAY_MS = 200;

    private final Sender sender;
    private final ConnectionMailbox mailbox;
    private final List<Share> shares = new ArrayList<>();
    private AmqpLink client; // the client's link; null = not attached yet
    private Share own; // of this node, the first one; null = it has no part, or the link is not attached yet
    private ErrorCondition lost; // why another node went before that; null = none has
    private Share first; // of the old home, which has more to give than what others may; null = all have credit
    private Share asked; // for all that it has now; null = each waits
    private Share writing; // in the middle of a delivery
    private int turn; // the share that is asked first
    private int awaited; // shares that may come, before a drain is answered
    private boolean draining; // the client waits for an answer of all shares
    private boolean looksAgain; // at the old home, soon
    private boolean signalled;
    private boolean ended;

    /** @param mailbox of the client's connection */
    public SharedCredit(Sender sender, ConnectionMailbox mailbox) {
        this.sender = sender;
        this.mailbox = mailbox;
    }

    /**
     * Adds what this node serves of the link, and begins as {@link #begin} does.
     *
     * @param link hears by {@link AmqpLink#creditChanged} of its credit
     * @param has credit that it knows already
     * @param isFirst whether this node has the old home
     */
    public Share addOwn(AmqpLink link, long has, boolean isFirst) {
        own = new Share(link, has);
        shares.add(0, own);
        comesFirst(own, isFirst);
        begin(link);
        return own;
    }

    /** Hears that the client's link is attached: from now on there is credit to divide. */
    public void begin(AmqpLink link) {
        client = link;
        askAll();
        signal();
    }

    private void comesFirst(Share share, boolean isFirst) {
        if (isFirst) {
            first = share;
        }
    }

    /**
     * Adds what another node serves of the link.
     *
     * @param link as in {@link #addOwn}; ends with this node's
     * @param isFirst whether that node has the old home
     */
    public Share add(AmqpLink link, boolean isFirst) {
        Share share = new Share(link, 0);
        shares.add(share);
        comesFirst(share, isFirst);
        askAll();
        signal();
        return share;
    }

    /** Hears of a share that may come: a drain has no answer without it. */
    public void awaits() {
        awaited++;
    }

    /** Hears that such a share has come, or does not come now. */
    public void awaitsNoMore() {
        awaited--;
        signal();
    }

    /** Hears that the client has said something of its credit. */
    public void creditChanged() {
        signal();
    }

    /** Ends all links but this node's, which ends itself. @param isLost as in {@link AmqpLink#end} */
    public void end(boolean isLost) {
        if (!ended) {
            ended = true;
            shares.stream().filter(share -> share != own).forEach(share -> share.link.end(isLost));
        }
    }

    public boolean isEnded() {
        return ended;
    }

    /** Ends the client's link: one of those that serve it cannot go on. */
    public void detach(ErrorCondition why) {
        if (!ended && client != null) {
            client.detach(why);
        } else if (!ended) {
            lost = why;
            end(false);
        }
    }

    /** Returns why the client's link cannot begin: a node has ended it already. Null = none has. */
    public ErrorCondition lost() {
        return lost;
    }

    private void signal() {
        if (!signalled && !ended) {
            signalled = true;
            mailbox.post(this);
        }
    }

    @Override
    public void onEventLoop() {
        signalled = false;
        if (ended || client == null) {
            return;
        }
        boolean drains = sender.isDraining() && credit() > 0;
        if (drains && !draining) {
            askAll();
            if (asked != null) {
                asked.stale = true;
            }
        }
        draining = drains;
        if (credit() > 0) {
            goOn();
        }
    }

    private void goOn() {
        if (asked != null) {
            asked.link.creditChanged();
            return;
        }
        Share next = next();
        if (next != null) {
            ask(next);
        } else if (!draining && !shares.isEmpty()) {
            divide();
        } else if (draining && awaited == 0) {
            draining = false;
            sender.drained();
        }
    }

    private void askAll() {
        shares.forEach(share -> share.empty = false);
    }

    /** Returns who is asked next: at first those that have credit of before. Null if all have answered. */
    private Share next() {
        Share next = null;
        for (int i = 0; i < shares.size(); i++) {
            Share share = shares.get((turn + i) % shares.size());
            boolean mayHave = !share.empty && !share.waitsForFirst();
            if (mayHave && share.outstanding > 0) {
                return share;
            }
            if (mayHave && next == null) {
                next = share;
            }
        }
        return next;
    }

    private void ask(Share share) {
        asked = share;
        turn = shares.indexOf(share) + 1;
        share.outstanding += Math.max(0, free());
        share.link.creditChanged();
    }

    private void divide() {
        List<Share> served = first == null ? shares : List.of(first);
        long more = Math.max(0, free()) / served.size();
        for (Share share : served) {
            if (share.outstanding == 0 || more > share.outstanding / 2) {
                share.outstanding += share.outstanding == 0 ? Math.max(1, more) : more;
            }
            share.link.creditChanged(); // the client may have given again what it had taken back
        }
    }

    private long credit() {
        return LinkFlow.credit(sender);
    }

    private long free() {
        return credit() - shares.stream().mapToLong(share -> share.outstanding).sum();
    }

    /** Is the part of the credit that one of those may use. */
    public final class Share {
        private final AmqpLink link;
        private long outstanding; // credit that it has and has not used
        private boolean empty; // it had nothing when it was asked, and nobody has used up a share since
        private boolean stale; // it was asked before the client's drain

        private Share(AmqpLink link, long has) {
            this.link = link;
            this.outstanding = has;
        }

        /** Returns how many deliveries may leave. */
        public long credit() {
            return Math.min(outstanding, SharedCredit.this.credit());
        }

        /** Tells whether it is to say when it has nothing more. */
        public boolean drains() {
            return asked == this;
        }

        /**
         * Hears that it has nothing more: its credit is void.
         *
         * @param replays whether it gets more nevertheless, of what was published before its subscription began
         */
        public void drained(boolean replays) {
            if (asked == this) {
                outstanding = 0;
                empty = !stale;
                stale = false;
                asked = null;
                if (first == this && replays) {
                    lookAgain();
                } else if (first == this) {
                    first = null; // nothing is published in an old home
                }
                signal();
            }
        }

        private void lookAgain() {
            if (!looksAgain) {
                looksAgain = true;
                mailbox.later(this::askAgain, REPLAY_MS);
            }
        }

        private void askAgain() {
            looksAgain = false;
            empty = false;
            signal();
        }

        private boolean waitsForFirst() {
            return first != null && first != this;
        }

        /** Tells whether a delivery may begin: none of another share is in the middle of its frames. */
        public boolean mayBegin() {
            return writing == null || writing == this;
        }

        /** Hears that a delivery begins. */
        public void begins() {
            writing = this;
        }

        /** Hears that a delivery has ended. */
        public void sent() {
            writing = null;
            use();
        }

        /** Hears that a delivery was given back, which the client's credit did not cover. It is asked first, later. */
        public void gaveBack() {
            use();
            turn = shares.indexOf(this);
        }

        private void use() {
            outstanding = Math.max(0, outstanding - 1);
            if (outstanding == 0) {
                askAll();
                if (asked == this) {
                    asked = null;
                    stale = false;
                }
                signal();
            }
        }
    }
}

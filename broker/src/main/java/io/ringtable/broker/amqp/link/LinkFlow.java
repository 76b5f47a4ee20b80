package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.engine.Sender;

/** Tells whether a link may send now. Thread: the connection's event loop. */
public final class LinkFlow {
    private LinkFlow() {}

    /**
     * Returns the credit of a link, 0 where its peer has taken back credit that was used up meanwhile (AMQP 1.0 section
     * 2.6.7). Protonj2 (1.1.0) counts below 0 then.
     */
    public static int credit(Sender sender) {
        return Math.max(0, sender.getCredit());
    }

    /**
     * Asks for credit and for the session's window. The engine tells a link of a window that another link's flow opened
     * only if it computes it anew. It also takes a link for sendable whose credit a drain has used up.
     */
    public static boolean isSendable(Sender sender) {
        if (credit(sender) == 0) {
            return false;
        }
        if (!sender.isSendable()) {
            sender.getSession().setOutgoingCapacity(0);
            sender.getSession().setOutgoingCapacity(-1);
        }
        return sender.isSendable();
    }
}

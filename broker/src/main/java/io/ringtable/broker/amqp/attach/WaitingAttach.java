package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.link.OpenConnection;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Has the attach of a link begin anew while no node serves what it asks for. A shard is between two owners, or its
 * owner has just died (ADR 83). The client waits for the answer, and has no credit meanwhile.
 * <p>
 * Thread: the connection's event loop. Failure: a link that is not served in time is refused.
 */
final class WaitingAttach {
    private static final long PAUSE_LEAST_MS = 20;
    private static final long PAUSE_MOST_MS = 100;

    private final AttachSteps steps;
    private final OpenConnection connection;
    private final Link<?> link;
    private final long patienceNs;
    private final Runnable begin;
    private long since; // the first refusal, by System.nanoTime()
    private long pauseMs; // 0 before the first refusal

    /** @param begin does what the attach asks for, from the start */
    WaitingAttach(AttachSteps steps, OpenConnection connection, Link<?> link, long patienceMs, Runnable begin) {
        this.steps = steps;
        this.connection = connection;
        this.link = link;
        this.patienceNs = TimeUnit.MILLISECONDS.toNanos(patienceMs);
        this.begin = begin;
    }

    /** Waits, if the refusal is one that passes. @return false if the link must be refused */
    boolean waits(ErrorCondition refusal) {
        if (!CarriedClient.isNotServedYet(refusal)) {
            return false;
        }
        long now = System.nanoTime();
        since = pauseMs == 0 ? now : since;
        if (now - since >= patienceNs) {
            return false;
        }
        pauseMs = Math.min(PAUSE_MOST_MS, Math.max(PAUSE_LEAST_MS, 2 * pauseMs));
        connection.mailbox().later(this::goOn, pauseMs);
        return true;
    }

    private void goOn() {
        if (!steps.isWanted(link)) {
            steps.release(link);
        } else if (link.getLinkedResource(LinkNames.Claim.class).isStolen()) {
            steps.refuse(link, LinkNames.Claim.stolenCondition());
        } else {
            begin.run();
        }
    }
}

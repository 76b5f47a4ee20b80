package io.ringtable.broker.amqp.frames;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Performative;

/**
 * Stands in the engine's pipeline and lets a connection do a bounded amount in one turn of its event loop. The frames beyond, and
 * answers of the catalogue, wait for their turn in the loop's {@link TurnQueue}, and nothing more is read meanwhile.
 * <p>
 * Thread: its connection's event loop.
 */
final class FrameTurns implements EngineHandler {
    public static final String NAME = "frame-turns";

    /** What a turn may cost; a frame costs 1, and so does a delivery of a range. A turn takes a few milliseconds. */
    private static final int TURN = 4_096;
    /** An attach, a begin or an end beside the frame itself. */
    private static final int LINK_COST = 16;
    /** The engine goes through the links of a session to attach another one. */
    private static final int LINKS_PER_COST = 16;
    /** And through their handles, which takes longer, to find a free one for its answer. */
    private static final int HANDLES_PER_COST = 4;

    private final TurnQueue queue; // of its event loop
    private final ConnectionMailbox mailbox;
    private final IntSupplier links;
    private final Consumer<Boolean> holdInput;
    private final ArrayDeque<IncomingAMQPEnvelope> held = new ArrayDeque<>();
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private BooleanSupplier rest; // of a frame that one turn was too short for; null = none
    private boolean over; // this turn: frames wait for the next one
    private int spent;
    private long began; // nanoTime of the turn
    private EngineHandlerContext context;

    /**
     * @param links of every state that the connection has
     * @param holdInput is told whether anything more may be read meanwhile
     */
    FrameTurns(TurnQueue queue, ConnectionMailbox mailbox, IntSupplier links, Consumer<Boolean> holdInput) {
        this.queue = queue;
        this.mailbox = mailbox;
        this.links = links;
        this.holdInput = holdInput;
    }

    @Override
    public void handlerAdded(EngineHandlerContext added) {
        context = added;
        // Frames on their way out pass it by.
        ((ProtonEngineHandlerContext) added).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void handleRead(EngineHandlerContext reading, IncomingAMQPEnvelope envelope) {
        if (over) {
            held.add(envelope);
        } else {
            read(envelope);
        }
    }

    private void read(IncomingAMQPEnvelope envelope) {
        if (spent == 0) {
            began = System.nanoTime();
        }
        spent += costOf(envelope.getBody());
        context.fireRead(envelope);
        endTurnIfSpent();
    }

    /** The catalogue has answered: it goes on, mostly with attaching a link, in this turn or in one of the next. */
    public void answer(Runnable goesOn) {
        if (over && context.engine().isRunning()) {
            answers.add(goesOn);
        } else {
            doAnswer(goesOn);
        }
    }

    private void doAnswer(Runnable goesOn) {
        if (spent == 0) {
            began = System.nanoTime();
        }
        spent += LINK_COST + links.getAsInt() / HANDLES_PER_COST;
        goesOn.run();
        endTurnIfSpent();
    }

    private void endTurnIfSpent() {
        if (spent >= TURN && !over) {
            endTurn();
        }
    }

    private int costOf(Performative frame) {
        return frame instanceof Attach || frame instanceof Begin || frame instanceof End
                ? LINK_COST + links.getAsInt() / LINKS_PER_COST
                : 1;
    }

    /** One step of a frame that has many. @return false if the turn is over: the rest is to be done {@link #later} */
    boolean spend() {
        return ++spent <= TURN;
    }

    /** @param more does it in the next turn, before any other frame is read; false if it needs yet another turn */
    public void later(BooleanSupplier more) {
        rest = more;
        if (!over) {
            endTurn();
        }
    }

    private void endTurn() {
        over = true;
        holdInput.accept(true);
        nextTurn(System.nanoTime() - began);
    }

    private void nextTurn(long nanosOfThis) {
        queue.add(() -> mailbox.run(this::takeTurn), nanosOfThis);
    }

    private void takeTurn() {
        spent = 0;
        if (rest != null && rest.getAsBoolean()) {
            rest = null;
        }
        while (!answers.isEmpty() && (spent < TURN || !context.engine().isRunning())) {
            doAnswer(answers.poll());
        }
        while (rest == null
                && spent < TURN
                && !held.isEmpty()
                && context.engine().isRunning()) {
            read(held.poll());
        }
        if (!context.engine().isRunning()) {
            held.clear();
        } else if (rest != null || !answers.isEmpty() || !held.isEmpty()) {
            nextTurn(0); // the queue knows how long this took
        } else {
            over = false;
            holdInput.accept(false);
        }
    }

    /** Everything that arrived together has been read. */
    public void endOfBatch() {
        if (!over) {
            spent = 0;
        }
    }
}

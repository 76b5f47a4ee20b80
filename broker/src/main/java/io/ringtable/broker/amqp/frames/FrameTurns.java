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
 * Limits what a connection does in one turn of its event loop. Further frames, and answers of the catalogue, wait for
 * their turn in the loop's {@link TurnQueue}; meanwhile the connection reads nothing more.
 * <p>
 * Thread: its connection's event loop.
 */
final class FrameTurns implements EngineHandler {
    public static final String NAME = "frame-turns";

    /** Limits the cost of a turn to a few milliseconds. A frame costs 1, and so does each delivery of a range. */
    private static final int TURN = 4_096;
    /** Adds to the cost of an attach, a begin or an end. */
    private static final int LINK_COST = 16;
    /** Adds to the cost of an attach: protonj2 looks through the links of its session. */
    private static final int LINKS_PER_COST = 16;
    /** Adds to the cost of an answer: protonj2 searches the links' handles for a free one, which takes longer. */
    private static final int HANDLES_PER_COST = 4;

    private final TurnQueue queue; // of its event loop
    private final ConnectionMailbox mailbox;
    private final IntSupplier links;
    private final Consumer<Boolean> holdInput;
    private final ArrayDeque<IncomingAMQPEnvelope> held = new ArrayDeque<>();
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private BooleanSupplier rest; // what is left of a frame that did not fit into one turn; null = none
    private boolean over; // the turn is over: frames wait for the next one
    private int spent;
    private long began; // nanoTime of the turn
    private EngineHandlerContext context;

    /**
     * Makes the handler.
     *
     * @param links gives how many links of every state the connection has
     * @param holdInput hears whether the connection must stop reading
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
        // Outgoing frames bypass this handler.
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

    /** Goes on after an answer of the catalogue, mostly with attaching a link, in this turn or a later one. */
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

    /**
     * Counts one step of a frame that has many.
     *
     * @return false if the turn is over: the rest must wait for {@link #later}
     */
    boolean spend() {
        return ++spent <= TURN;
    }

    /**
     * Puts off the rest of a frame.
     *
     * @param more goes on before any other frame is read; false if it needs yet another turn
     */
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

    /** Begins a new turn: all that arrived together has been read. */
    public void endOfBatch() {
        if (!over) {
            spent = 0;
        }
    }
}

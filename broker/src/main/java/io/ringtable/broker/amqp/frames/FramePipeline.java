package io.ringtable.broker.amqp.frames;

import io.netty.buffer.ByteBuf;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.wire.DispositionRanges;
import io.ringtable.wire.MalformedMessage;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameDecodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameEncodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonPerformativeHandler;
import org.apache.qpid.protonj2.engine.impl.sasl.ProtonSaslHandler;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;

/**
 * Makes the protocol engine of one connection as the library's factory does, without its frame logger and with handlers
 * of the broker's own.
 * <p>
 * Thread: the connection's event loop.
 */
public final class FramePipeline {
    private final ProtonEngine engine = new ProtonEngine();
    private final FrameGuard frames;
    private final DispositionRanges dispositions = new DispositionRanges();
    private final LinkNameGuard linkNames;
    private final FrameTurns turns;
    private final SessionWindows windows;
    private final DrainAnswers drains = new DrainAnswers();

    /**
     * @param queue the turns of the event loop
     * @param holdInput hears whether to stop reading the socket
     * @param relayed writes what comes from other nodes; null where nothing does
     * @param login null where there is no SASL layer
     */
    public FramePipeline(
            AmqpProperties settings,
            TurnQueue queue,
            ConnectionMailbox mailbox,
            Consumer<Boolean> holdInput,
            LinkThief thief,
            ConnectionMemory memory,
            AmqpCounters counters,
            RelayedTransfers relayed,
            SaslServerListener login) {
        int frameMax = (int) settings.maxFrameSize().toBytes();
        this.linkNames = new LinkNameGuard(settings.linksMax(), thief, memory, counters);
        this.turns = new FrameTurns(queue, mailbox, linkNames::count, holdInput);
        this.windows = new SessionWindows(frameMax);
        SaslDialogue dialogue = login == null ? null : new SaslDialogue(engine, login);
        this.frames = new FrameGuard(frameMax, dialogue == null ? engine::ingest : dialogue::ingest);
        // This one comes first, since failures stop at the next one.
        engine.pipeline().addLast(FailureNaming.NAME, new FailureNaming(settings.containerId()));
        engine.pipeline().addLast("amqp", new ProtonPerformativeHandler());
        engine.pipeline().addLast(SessionWindows.NAME, windows);
        engine.pipeline().addLast(BoundlessCredit.NAME, new BoundlessCredit());
        engine.pipeline().addLast(DrainAnswers.NAME, drains);
        engine.pipeline().addLast(LinkNameGuard.NAME, linkNames);
        engine.pipeline().addLast(UnsettledRanges.NAME, new UnsettledRanges(turns));
        if (relayed != null) {
            engine.pipeline().addLast(RelayedTransfers.NAME, relayed);
        }
        engine.pipeline().addLast(DispositionRanges.NAME, dispositions);
        engine.pipeline().addLast(FrameTurns.NAME, turns);
        if (dialogue != null) {
            engine.pipeline().addLast(SaslDialogue.CHALLENGES, dialogue.challenges());
            engine.pipeline().addLast("sasl", new ProtonSaslHandler());
            engine.pipeline().addLast(SaslDialogue.RESPONSES, dialogue.responses());
        }
        engine.pipeline().addLast("frame-decoder", new ProtonFrameDecodingHandler());
        engine.pipeline().addLast("frame-encoder", new ProtonFrameEncodingHandler());
        engine.pipeline().addLast(StateChangesEnd.NAME, new StateChangesEnd());
        if (login != null) {
            engine.saslDriver().server().setListener(login);
        }
    }

    public Engine engine() {
        return engine;
    }

    /** Returns the channel on which the client sends for the session; -1 once it has ended the session. */
    public int channelOf(Session session) {
        return linkNames.channelOf(session);
    }

    /** Expects the client to detach a link that the broker has refused in its answer. */
    public void refused(Link<?> link) {
        linkNames.refused(link);
    }

    /** Forgets all links of a connection that is gone. */
    public void lost() {
        linkNames.lost();
    }

    /** Gives the engine the bytes that were read from the socket. */
    public void ingest(ByteBuf arrived) throws MalformedMessage {
        frames.ingest(arrived);
    }

    /** Hears, before the first link, that each session is one of a client that another node carries. */
    public void carriesClients() {
        linkNames.carriesClients();
    }

    /** Takes over the session that the engine has made for the last begin frame. */
    public void begun(Session session) {
        linkNames.begun(session);
        windows.begun(session);
    }

    /**
     * Answers the drain of a link that another node carries.
     *
     * @param replays whether the link's subscription gets more of what was published before it began
     */
    public void drained(Sender sender, boolean replays) {
        drains.drained(sender, replays);
    }

    /** Goes on after an answer of the catalogue, in this turn or in a later one. */
    public void answer(Runnable goesOn) {
        turns.answer(goesOn);
    }

    /** Opens the windows of sessions that have been used up. */
    public void openWindows() {
        windows.endOfBatch(engine);
    }

    /** Ends the turn in which everything that arrived together was read. */
    public void endOfBatch() {
        turns.endOfBatch();
    }

    /** Writes the dispositions that are held back. */
    public void flush() {
        dispositions.flush();
    }
}

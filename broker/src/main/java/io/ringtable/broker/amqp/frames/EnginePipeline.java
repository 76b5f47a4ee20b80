package io.ringtable.broker.amqp.frames;

import io.ringtable.broker.amqp.encoding.MalformedMessage;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameDecodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameEncodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonPerformativeHandler;
import org.apache.qpid.protonj2.engine.impl.sasl.ProtonSaslHandler;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;

/**
 * The protocol engine of one connection, as the library's factory makes it, without its frame logger and with handlers of ours.
 * <p>
 * Thread: the connection's event loop.
 */
public final class EnginePipeline {
    private final ProtonEngine engine = new ProtonEngine();
    private final FrameGuard frames;
    private final DispositionRanges dispositions = new DispositionRanges();
    private final LinkNameGuard linkNames;
    private final FrameTurns turns;
    private final SessionWindows windows;

    /**
     * @param queue of the event loop
     * @param holdInput is told whether anything more may be read
     * @param login null where there is no SASL layer
     */
    public EnginePipeline(
            AmqpSettings settings,
            TurnQueue queue,
            ConnectionMailbox mailbox,
            Consumer<Boolean> holdInput,
            LinkThief thief,
            ConnectionMemory memory,
            AmqpCounters counters,
            SaslServerListener login) {
        this.linkNames = new LinkNameGuard(settings.linksMax(), thief, memory, counters);
        this.turns = new FrameTurns(queue, mailbox, linkNames::count, holdInput);
        this.windows = new SessionWindows(settings.maxFrameSize());
        this.frames = new FrameGuard(settings.maxFrameSize(), engine::ingest);
        // The first, as failures stop at the next one.
        engine.pipeline().addLast(FailureNaming.NAME, new FailureNaming(settings.containerId()));
        engine.pipeline().addLast("amqp", new ProtonPerformativeHandler());
        engine.pipeline().addLast(SessionWindows.NAME, windows);
        engine.pipeline().addLast(LinkNameGuard.NAME, linkNames);
        engine.pipeline().addLast(UnsettledRanges.NAME, new UnsettledRanges(turns));
        engine.pipeline().addLast(DispositionRanges.NAME, dispositions);
        engine.pipeline().addLast(FrameTurns.NAME, turns);
        if (login != null) {
            engine.pipeline().addLast("sasl", new ProtonSaslHandler());
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

    /** On which the client sends for the session; -1 once it has ended the session. */
    public int channelOf(Session session) {
        return linkNames.channelOf(session);
    }

    /** The broker has refused the link in its answer, and the client is to detach it as well. */
    public void refused(Link<?> link) {
        linkNames.refused(link);
    }

    /** The connection is gone, and all its links. */
    public void lost() {
        linkNames.lost();
    }

    /** Gives the engine what was read from the socket. */
    public void ingest(byte[] bytes, int from, int length) throws MalformedMessage {
        frames.ingest(bytes, from, length);
    }

    /** The engine has a session for the begin frame that it has just been given. */
    public void begun(Session session) {
        linkNames.begun(session);
        windows.begun(session);
    }

    /** Goes on after an answer of the catalogue, in this turn or in one of the next. */
    public void answer(Runnable goesOn) {
        turns.answer(goesOn);
    }

    /** Opens the windows of sessions that have been used up. */
    public void openWindows() {
        windows.endOfBatch(engine);
    }

    /** Everything that arrived together has been read. */
    public void endOfBatch() {
        turns.endOfBatch();
    }

    /** Writes the dispositions that have gathered. */
    public void flush() {
        dispositions.flush();
    }
}

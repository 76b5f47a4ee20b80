package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.SASLEnvelope;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.security.SaslChallenge;
import org.apache.qpid.protonj2.types.security.SaslPerformative;
import org.apache.qpid.protonj2.types.security.SaslResponse;

/**
 * Leads a login around two faults of protonj2 1.1. The library's handler of SASL forgets that a response has come:
 * after one challenge it refuses to send another, and the outcome. Its decoder refuses frames above 512 bytes until the
 * login is over, whatever size it was told; few tokens fit into these.
 * <p>
 * One handler stands on each side of the library's. Thread: the connection's event loop. Failure: a frame that cannot
 * be decoded fails the engine, as any other.
 */
final class SaslDialogue {
    static final String CHALLENGES = "sasl-challenges";
    static final String RESPONSES = "sasl-responses";

    /** Limits a frame to a token of 16 KB and what stands around it; the login bounds what each mechanism sends. */
    private static final int FRAME_BYTES_MAX = 18 * 1024;

    /** Is the size up to which the library reads frames of SASL itself (AMQP 1.0 section 5.3.2). */
    private static final int LIBRARY_BYTES_MAX = 512;

    private static final int HEAD_BYTES = 8;
    private static final int DATA_OFFSET = 4;
    private static final int TYPE = 5;
    private static final int PROTOCOL_HEADER = 'A' << 24 | 'M' << 16 | 'Q' << 8 | 'P';

    private final Engine engine;
    private final SaslServerListener login;
    private final Decoder decoder = CodecFactory.getDefaultSaslDecoder(); // a new one: the shared one is another's
    private EngineHandlerContext socketSide;

    SaslDialogue(Engine engine, SaslServerListener login) {
        this.engine = engine;
        this.login = login;
    }

    /** Makes the handler that stands on the side of the broker. */
    EngineHandler challenges() {
        return new EngineHandler() {
            @Override
            public void handleWrite(EngineHandlerContext context, SASLEnvelope envelope) {
                if (envelope.getBody() instanceof SaslChallenge) {
                    socketSide.fireWrite(envelope);
                } else {
                    context.fireWrite(envelope);
                }
            }
        };
    }

    /** Makes the handler that stands on the side of the socket. */
    EngineHandler responses() {
        return new EngineHandler() {
            @Override
            public void handlerAdded(EngineHandlerContext context) {
                socketSide = context;
            }

            @Override
            public void handleRead(EngineHandlerContext context, SASLEnvelope envelope) {
                read(envelope);
            }
        };
    }

    private void read(SASLEnvelope envelope) {
        if (envelope.getBody() instanceof SaslResponse response
                && engine.saslDriver().server().getChosenMechanism() != null
                && !isDone()) {
            login.handleSaslResponse(engine.saslDriver().server(), response.getResponse());
        } else {
            socketSide.fireRead(envelope); // the library refuses responses that come too early or too late
        }
    }

    private boolean isDone() {
        return engine.saslDriver().server().isDone();
    }

    /** Gives the engine whole frames, and reads those here that are large and of SASL. */
    void ingest(ProtonBuffer arrived) throws EngineStateException {
        while (!isDone() && arrived.getReadableBytes() >= HEAD_BYTES) {
            int at = arrived.getReadOffset();
            int begin = arrived.getInt(at);
            int size = begin == PROTOCOL_HEADER ? HEAD_BYTES : begin;
            if (size < HEAD_BYTES || size > arrived.getReadableBytes()) {
                break; // no frame: the engine reports it
            }
            ProtonBuffer frame = arrived.copy(at, size, true);
            arrived.advanceReadOffset(size);
            if (begin != PROTOCOL_HEADER
                    && frame.getByte(TYPE) == SASLEnvelope.SASL_FRAME_TYPE
                    && size > LIBRARY_BYTES_MAX
                    && size <= FRAME_BYTES_MAX) {
                readLarge(frame);
            } else {
                engine.ingest(frame);
            }
        }
        if (arrived.isReadable()) {
            engine.ingest(arrived);
        }
    }

    private void readLarge(ProtonBuffer frame) {
        try {
            frame.setReadOffset((frame.getByte(DATA_OFFSET) & 0xff) * Integer.BYTES);
            read(new SASLEnvelope(decoder.readObject(frame, decoder.newDecoderState(), SaslPerformative.class)));
        } catch (DecodeException | IndexOutOfBoundsException | ClassCastException e) {
            engine.engineFailed(new DecodeException("a frame of SASL cannot be decoded: " + e.getMessage()));
        }
    }
}

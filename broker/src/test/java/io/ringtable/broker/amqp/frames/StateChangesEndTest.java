package io.ringtable.broker.amqp.frames;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineFactory;
import org.junit.jupiter.api.Test;

public class StateChangesEndTest {
    /** Counts how often a change comes by. */
    private static final class Watching implements EngineHandler {
        private final AtomicInteger seen = new AtomicInteger();
        private StackOverflowError overflow;

        @Override
        public void handleEngineStateChanged(EngineHandlerContext context) {
            seen.incrementAndGet();
            try {
                context.fireEngineStateChanged();
            } catch (StackOverflowError e) {
                overflow = e;
                throw e;
            }
        }
    }

    private static Watching shutDown(boolean withEnd) {
        ProtonEngine engine = (ProtonEngine) ProtonEngineFactory.PROTON.createNonSaslEngine();
        Watching watching = new Watching();
        engine.pipeline().addLast("watching", watching);
        if (withEnd) {
            engine.pipeline().addLast(StateChangesEnd.NAME, new StateChangesEnd());
        }
        engine.errorHandler(failed -> {});
        engine.start();
        engine.shutdown();
        return watching;
    }

    @Test
    public void aChangeOfStateFillsNoStack() {
        Watching watching = shutDown(true);
        assertThat(watching.seen).hasValueGreaterThanOrEqualTo(1);
        assertThat(watching.overflow).isNull();
    }

    @Test
    public void theLibraryStillNeedsIt() {
        assertThat(shutDown(false).overflow).as("else it is to be deleted").isNotNull();
    }
}

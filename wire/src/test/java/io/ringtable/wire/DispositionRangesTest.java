package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Role;
import org.junit.jupiter.api.Test;

class DispositionRangesTest {
    private static final DeliveryState ACCEPTED = Accepted.getInstance();
    private static final DeliveryState RELEASED = Released.getInstance();

    private final List<String> written = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private final DispositionRanges ranges = new DispositionRanges(new DispositionRanges.Listener() {
        @Override
        public void gathering() {
            heard.add("gathering");
        }

        @Override
        public void written(Role role) {
            heard.add("written " + role);
        }
    });
    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private final Engine engine = EngineFactory.PROTON.createNonSaslEngine();

    DispositionRangesTest() {
        engine.pipeline().addFirst("end", new EngineHandler() {
            @Override
            public void handleWrite(EngineHandlerContext context, OutgoingAMQPEnvelope envelope) {
                written.add(
                        envelope.getBody() instanceof Disposition disposition
                                ? envelope.getChannel() + text(disposition)
                                : envelope.getBody().getClass().getSimpleName());
                envelope.release();
            }
        });
        engine.pipeline().addFirst(DispositionRanges.NAME, ranges);
        engine.start();
    }

    private static String text(Disposition disposition) {
        String range = disposition.getFirst() + (disposition.hasLast() ? "-" + disposition.getLast() : "");
        return " " + disposition.getRole() + " " + range + (disposition.getSettled() ? " settled " : " ")
                + disposition.getState().getType();
    }

    private void settle(int channel, Role role, long id, DeliveryState state) {
        write(
                channel,
                new Disposition().setRole(role).setFirst(id).setSettled(true).setState(state));
    }

    private void write(int channel, Performative performative) {
        engine.pipeline().fireWrite(envelopes.take(performative, channel, null));
    }

    @Test
    void joinsNeighboursOfOneOutcome() {
        settle(0, Role.RECEIVER, 0xffff_fffeL, ACCEPTED);
        settle(0, Role.RECEIVER, 0xffff_ffffL, ACCEPTED);
        settle(0, Role.RECEIVER, 0, ACCEPTED);
        settle(0, Role.RECEIVER, 1, RELEASED);
        settle(0, Role.RECEIVER, 3, RELEASED);
        assertThat(written)
                .containsExactly("0 RECEIVER 4294967294-0 settled Accepted", "0 RECEIVER 1 settled Released");
        ranges.flush();
        assertThat(written).hasSize(3).last().isEqualTo("0 RECEIVER 3 settled Released");
        ranges.flush();
        assertThat(written).hasSize(3);
    }

    @Test
    void keepsARangeForEachChannelAndRole() {
        settle(1, Role.RECEIVER, 5, ACCEPTED);
        settle(2, Role.RECEIVER, 9, ACCEPTED);
        settle(1, Role.SENDER, 6, ACCEPTED);
        settle(1, Role.RECEIVER, 6, ACCEPTED);
        settle(2, Role.RECEIVER, 10, ACCEPTED);
        assertThat(written).isEmpty();
        ranges.flush();
        assertThat(written)
                .containsExactly(
                        "1 RECEIVER 5-6 settled Accepted",
                        "2 RECEIVER 9-10 settled Accepted",
                        "1 SENDER 6 settled Accepted");
    }

    @Test
    void frameOfAnotherKindLeavesBehindThem() {
        settle(0, Role.RECEIVER, 0, ACCEPTED);
        write(0, new Flow());
        settle(0, Role.RECEIVER, 1, ACCEPTED);
        write(
                0,
                new Disposition()
                        .setRole(Role.RECEIVER)
                        .setFirst(2)
                        .setLast(7)
                        .setSettled(true)
                        .setState(ACCEPTED));
        assertThat(written)
                .containsExactly(
                        "0 RECEIVER 0 settled Accepted",
                        "Flow",
                        "0 RECEIVER 1 settled Accepted",
                        "0 RECEIVER 2-7 settled Accepted");
    }

    @Test
    void tellsWhenSomethingIsHeldBackAndWhenItLeaves() {
        settle(0, Role.RECEIVER, 0, ACCEPTED);
        settle(1, Role.SENDER, 0, ACCEPTED);
        ranges.flush();
        settle(0, Role.RECEIVER, 1, ACCEPTED);
        assertThat(heard).containsExactly("gathering", "written RECEIVER", "written SENDER", "gathering");
    }
}

package io.ringtable.broker.amqp.frames;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.ringtable.wire.MalformedMessage;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.junit.jupiter.api.Test;

class FrameGuardTest {
    private static final int FRAME_MAX = 4096;
    private static final String HEADER = "414d515000010000";
    private static final String FLOW = frame("005313c0080452ff" + "52ff" + "4352ff");
    private static final String ACCEPTED = frame("005315c00b05415207520941" + "00532445");

    private final ByteArrayOutputStream engine = new ByteArrayOutputStream();
    private final FrameGuard guard = new FrameGuard(FRAME_MAX, this::pass);

    private void pass(ProtonBuffer frames) {
        byte[] bytes = new byte[frames.getReadableBytes()];
        frames.readBytes(bytes, 0, bytes.length);
        engine.writeBytes(bytes);
    }

    @Test
    void framesArriveWholeWhereverTheStreamIsCut() throws MalformedMessage {
        byte[] stream = HexFormat.of().parseHex(HEADER + FLOW + ACCEPTED + FLOW);
        Set<Integer> ends =
                Set.of(0, bytes(HEADER), bytes(HEADER + FLOW), bytes(HEADER + FLOW + ACCEPTED), stream.length);
        for (int first = 0; first <= stream.length; first++) {
            for (int second = first; second <= stream.length; second++) {
                engine.reset();
                ingest(stream, 0, first);
                assertThat(engine.size()).as("whole frames only").isIn(ends);
                ingest(stream, first, second);
                ingest(stream, second, stream.length);
                assertThat(engine.toByteArray())
                        .as("cut at %d and %d", first, second)
                        .isEqualTo(stream);
            }
        }
    }

    @Test
    void theEngineHasTheFramesBeforeOneThatNestsTooDeeply() {
        String deep = "00" + "a3016100".repeat(200) + "40";
        byte[] stream = HexFormat.of().parseHex(FLOW + frame("00" + "5315" + list32("415207520941" + deep)) + FLOW);

        assertThatThrownBy(() -> ingest(stream, 0, stream.length)).isInstanceOf(MalformedMessage.class);

        assertThat(engine.toByteArray()).isEqualTo(HexFormat.of().parseHex(FLOW));
    }

    /** Checks that the guard looks at the whole frame: one that ends like an acceptance may hold anything before. */
    @Test
    void aStateIsCheckedThatOnlyEndsLikeAnAcceptance() {
        String state = "005325c0" + "ff05" + "00".repeat(300) + "00532445";
        byte[] stream = HexFormat.of().parseHex(frame("005315c0" + "6f05" + "4152075209" + "41" + state));

        assertThatThrownBy(() -> ingest(stream, 0, stream.length)).isInstanceOf(MalformedMessage.class);
        assertThat(engine.size()).isZero();
    }

    @Test
    void theEngineGetsWhatIsNoFrameAndSaysSo() throws MalformedMessage {
        byte[] stream = HexFormat.of().parseHex(FLOW + "7fffffff0200000001020304");
        ingest(stream, 0, stream.length);
        assertThat(engine.toByteArray()).isEqualTo(stream);
    }

    private void ingest(byte[] stream, int from, int to) throws MalformedMessage {
        guard.ingest(Unpooled.wrappedBuffer(stream, from, to - from));
    }

    private static int bytes(String hex) {
        return hex.length() / 2;
    }

    private static String frame(String body) {
        return "%08x02000000%s".formatted(8 + body.length() / 2, body);
    }

    /** A list of five elements. */
    private static String list32(String elements) {
        return "d0%08x%08x%s".formatted(4 + elements.length() / 2, 5, elements);
    }
}

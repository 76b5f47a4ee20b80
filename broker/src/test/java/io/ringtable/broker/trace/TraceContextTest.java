package io.ringtable.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-" + TRACE + "-" + SPAN + "-01",
                "00-" + TRACE + "-" + SPAN + "-ff",
                "cc-" + TRACE + "-" + SPAN + "-01",
                "cc-" + TRACE + "-" + SPAN + "-01-what-comes-later",
            })
    void takesWhatSaysSampled(String text) {
        assertThat(isSampled(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-" + TRACE + "-" + SPAN + "-00",
                "00-" + TRACE + "-" + SPAN + "-02",
                "00-" + TRACE + "-" + SPAN + "-0",
                "00-" + TRACE + "-" + SPAN + "-0g",
                "00-" + TRACE + "-" + SPAN + "-g1",
                "00-" + TRACE + "-" + SPAN + "-01-more",
                "cc-" + TRACE + "-" + SPAN + "-01.more",
                "ff-" + TRACE + "-" + SPAN + "-01",
                "0g-" + TRACE + "-" + SPAN + "-01",
                "00_" + TRACE + "-" + SPAN + "-01",
                "00-" + TRACE + "_" + SPAN + "-01",
                "00-" + TRACE + "-" + SPAN + "_01",
                "00-00000000000000000000000000000000-" + SPAN + "-01",
                "00-" + TRACE + "-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + SPAN + "-01",
            })
    void leavesAloneWhatDoesNot(String text) {
        assertThat(isSampled(text)).isFalse();
    }

    @Test
    void readsTheIdsFromTheBytesOfTheMessage() {
        byte[] encoded = ("..00-" + TRACE + "-" + SPAN + "-01").getBytes(StandardCharsets.US_ASCII);
        Message message =
                new Message(StepQueueTest.ADDRESS, 0, 4, 0, 0, encoded, 0, null, null, PublisherLogin.UNKNOWN, 2);

        assertThat(TraceContext.of(message)).isEqualTo(new TraceContext(TRACE, SPAN));
    }

    private static boolean isSampled(String text) {
        byte[] bytes = ("x" + text).getBytes(StandardCharsets.US_ASCII);
        return TraceContext.isSampled(bytes, 1, text.length());
    }
}

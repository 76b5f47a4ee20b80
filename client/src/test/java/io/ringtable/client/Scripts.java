package io.ringtable.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.hamcrest.BaseMatcher;
import org.hamcrest.Description;
import org.hamcrest.Matcher;

/** Makes messages and matchers for the scripts of protocol tests. */
final class Scripts {
    private Scripts() {}

    static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> Message.text("m" + i)).toList();
    }

    /** Matches every payload, and keeps it. */
    static Matcher<ByteBuffer> capture(AtomicReference<byte[]> into) {
        return new BaseMatcher<>() {
            @Override
            public boolean matches(Object actual) {
                ByteBuffer buffer = ((ByteBuffer) actual).duplicate();
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                into.set(bytes);
                return true;
            }

            @Override
            public void describeTo(Description description) {
                description.appendText("any payload");
            }
        };
    }
}

package io.ringtable.broker.amqp.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.wire.Encoded;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;

class ReplyWriterTest {
    private static final byte[] ID = {(byte) 0xa1, 1, 'x'};

    private final ReplyWriter writer = new ReplyWriter();

    private static Object body(byte[] reply) {
        return Encoded.section(reply, AmqpValue.class).getValue();
    }

    @Test
    void writesStatusIdAndJson() {
        byte[] reply = writer.write(ManagementAnswer.of(Map.of("name", "ä")), ID, "temporary:1", 4_096);
        Properties properties = Encoded.section(reply, Properties.class);
        assertThat(properties.getSubject()).isEqualTo("200");
        assertThat(properties.getTo()).isEqualTo("temporary:1");
        assertThat(properties.getCorrelationId()).isEqualTo("x");
        assertThat(properties.getContentType()).isEqualTo("application/json");
        assertThat(properties.getCreationTime()).isPositive();
        assertThat(body(reply)).isEqualTo("{\"name\":\"ä\"}");
    }

    @Test
    void writesANullWhereThereIsNoBody() {
        byte[] reply = writer.write(ManagementAnswer.done(), ID, null, 4_096);
        Properties properties = Encoded.section(reply, Properties.class);
        assertThat(properties.getSubject()).isEqualTo("204");
        assertThat(properties.getTo()).isNull();
        assertThat(properties.getContentType()).isNull();
        assertThat(Encoded.section(reply, AmqpValue.class)).isNotNull();
        assertThat(body(reply)).isNull();
    }

    @Test
    void anAnswerOfExactlyTheBoundGoesAndALargerOneIsAnError() {
        ManagementAnswer answer = ManagementAnswer.of(List.of("x".repeat(5_000)));
        int bytes = writer.write(answer, ID, null, Integer.MAX_VALUE).length;
        assertThat(writer.write(answer, ID, null, bytes)).hasSize(bytes);
        byte[] refused = writer.write(answer, ID, null, bytes - 1);
        assertThat(Encoded.section(refused, Properties.class).getSubject()).isEqualTo("413");
        assertThat(Encoded.section(refused, Properties.class).getCorrelationId())
                .isEqualTo("x");
        assertThat((String) body(refused)).contains("RT-4393", Integer.toString(bytes - 1));
    }

    /** A list that would never end is not gathered beyond the bound. */
    @Test
    void stopsToWriteAtTheBound() {
        byte[] refused =
                writer.write(ManagementAnswer.of(Collections.nCopies(Integer.MAX_VALUE, "x")), ID, null, 100_000);
        assertThat(Encoded.section(refused, Properties.class).getSubject()).isEqualTo("413");
    }
}

package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.junit.jupiter.api.Test;

class EncodingWriterTest {
    private final EncodingWriter writer = new EncodingWriter();

    @Test
    void writesWhatOtherLibrariesRead() {
        UUID id = UUID.randomUUID();
        Object[] values = {
            "a", "ü".repeat(200), -1, Long.MIN_VALUE, true, false, 2.5, -0.5f, (short) -300, (byte) -7, 'ß', id
        };
        writer.section(Sections.APPLICATION_PROPERTIES);
        int map = writer.beginCompound(Encoding.MAP_32);
        for (int i = 0; i < values.length; i++) {
            writer.writeString("p" + i);
            assertThat(writer.writeValue(values[i])).isTrue();
        }
        writer.writeString("at");
        assertThat(writer.writeValue(Instant.ofEpochMilli(1_700_000_000_123L))).isTrue();
        writer.writeString("nothing");
        assertThat(writer.writeValue(null)).isTrue();
        writer.endCompound(map, 2 * values.length + 4);
        Map<String, Object> read =
                Encoded.section(writer.toBytes(), ApplicationProperties.class).getValue();
        for (int i = 0; i < values.length; i++) {
            assertThat(read).containsEntry("p" + i, values[i]);
        }
        assertThat(read).containsEntry("at", 1_700_000_000_123L).containsEntry("nothing", null);
        assertThat(writer.writeValue(List.of())).isFalse();
    }

    @Test
    void writesListsOfBothLengths() {
        writer.section(Sections.HEADER);
        int header = writer.beginShortList();
        writer.writeBoolean(true);
        writer.writeUbyte(9);
        writer.writeUint(0xffff_ffffL);
        writer.endShortList(header, 3);
        writer.section(Sections.VALUE);
        int body = writer.beginCompound(Encoding.LIST_32);
        writer.writeSymbol("s");
        writer.writeNull();
        writer.endCompound(body, 2);
        byte[] message = writer.toBytes();
        Header read = Encoded.section(message, Header.class);
        assertThat(read.isDurable()).isTrue();
        assertThat(read.getPriority()).isEqualTo((byte) 9);
        assertThat(read.getTimeToLive()).isEqualTo(0xffff_ffffL);
        List<?> list = (List<?>) Encoded.section(message, AmqpValue.class).getValue();
        assertThat(list.get(0)).isEqualTo(Symbol.valueOf("s"));
        assertThat(list.get(1)).isNull();
    }

    @Test
    void writesBatchesThatTheBrokerSplits() throws Exception {
        Random random = new Random(1);
        byte[][] messages = new byte[BatchFormat.MESSAGES_MAX][];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = new byte[random.nextInt(i % 100 == 0 ? 3_000 : 300)];
            random.nextBytes(messages[i]);
        }
        for (int round = 0; round < 2; round++) {
            writer.reset();
            int framed = 0;
            for (byte[] message : messages) {
                BatchFormat.add(writer, message);
                framed += message.length + BatchFormat.FRAMING_BYTES;
            }
            assertThat(writer.position()).isLessThanOrEqualTo(framed);
            assertThat(BatchFormat.split(writer.toBytes())).containsExactly(messages);
        }
    }
}

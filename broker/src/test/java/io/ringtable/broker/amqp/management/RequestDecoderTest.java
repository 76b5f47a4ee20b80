package io.ringtable.broker.amqp.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.MalformedMessage;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestDecoderTest {
    private static final Caller CALLER = new Caller(Identity.of("ops"), "amqp", "127.0.0.1");

    private final RequestDecoder decoder = new RequestDecoder();

    private ManagementRequest decode(String target, Section<?>... body) throws MalformedMessage {
        byte[] encoded = Encoded.message(concat(new Properties().setSubject("POST"), body));
        return decoder.decode(new Request("POST", target, "$me", new byte[] {0x40}, encoded), CALLER);
    }

    private static Section<?>[] concat(Section<?> first, Section<?>... rest) {
        Section<?>[] all = new Section<?>[rest.length + 1];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    private String json(Section<?>... body) throws MalformedMessage {
        return String.valueOf(decode("/jobs", body).body());
    }

    private String jsonOf(Object value) throws MalformedMessage {
        return json(new AmqpValue<>(value));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /api/v1/addresses        | /addresses
            /addresses/a%2Fb         | /addresses/a%2Fb
            /api/v1                  | /api/v1
            /api/v10/addresses       | /api/v10/addresses
            /addresses?limit=1       | /addresses
            """)
    void leavesThePathEncodedAndTakesThePrefixOff(String target, String path) throws MalformedMessage {
        assertThat(decode(target).path()).isEqualTo(path);
    }

    @Test
    void decodesTheQuery() throws MalformedMessage {
        assertThat(decode("/addresses?limit=10&selector=a%2Bb+%3D+1&force&limit=20&=x&")
                        .query())
                .isEqualTo(Map.of("limit", "10", "selector", "a+b = 1", "force", "", "", "x"));
        assertThat(decode("/addresses?").query()).isEmpty();
        assertThatThrownBy(() -> decode("/addresses?a=%1"))
                .isInstanceOfSatisfying(
                        MalformedMessage.class, e -> assertThat(e.code()).isEqualTo("RT-4396"))
                .hasMessageContaining("%1");
    }

    @Test
    void readsJsonInTextsAndBytes() throws MalformedMessage {
        assertThat(jsonOf("{\"a\":[1,true]}")).isEqualTo("{\"a\":[1,true]}");
        assertThat(jsonOf(new Binary("[1]".getBytes(StandardCharsets.UTF_8)))).isEqualTo("[1]");
        assertThat(json(
                        new Data("{\"a\":".getBytes(StandardCharsets.UTF_8)),
                        new Data("\"ä\"}".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("{\"a\":\"ä\"}");
        assertThatThrownBy(() -> jsonOf("{\"a\":1} and more")).hasMessageContaining("no JSON");
        assertThatThrownBy(() -> jsonOf("{")).hasMessageContaining("no JSON");
    }

    @Test
    void aBodyOfNothingIsNone() throws MalformedMessage {
        assertThat(decode("/jobs").body()).isNull();
        assertThat(decode("/jobs", new AmqpValue<>(null)).body()).isNull();
        assertThat(decode("/jobs", new AmqpValue<>("")).body()).isNull();
        assertThat(decode("/jobs", new AmqpValue<>("null")).body()).isNull();
        assertThat(decode("/jobs", new Data(new byte[0])).body()).isNull();
    }

    @Test
    void makesJsonOfValues() throws MalformedMessage {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("text", "t");
        map.put(Symbol.valueOf("symbol"), Symbol.valueOf("s"));
        map.put("flag", true);
        map.put("long", Long.MIN_VALUE);
        map.put("ubyte", UnsignedByte.valueOf((byte) -1));
        map.put("uint", UnsignedInteger.valueOf(-1));
        map.put("ulong", UnsignedLong.valueOf(-1L));
        map.put("double", 1.5);
        map.put("time", new Date(7));
        map.put("uuid", new UUID(0, 1));
        map.put("bytes", new Binary(new byte[] {1, 2}));
        map.put("nothing", null);
        map.put("list", List.of(1, "two", List.of()));
        assertThat(jsonOf(map))
                .isEqualTo("{\"text\":\"t\",\"symbol\":\"s\",\"flag\":true,\"long\":-9223372036854775808,"
                        + "\"ubyte\":255,\"uint\":4294967295,\"ulong\":18446744073709551615,\"double\":1.5,"
                        + "\"time\":7,\"uuid\":\"00000000-0000-0000-0000-000000000001\","
                        + "\"bytes\":\"AQI=\",\"nothing\":null,\"list\":[1,\"two\",[]]}");
    }

    @Test
    void refusesValuesThatJsonHasNoFormFor() {
        assertThatThrownBy(() -> jsonOf(Map.of(1, "one"))).hasMessageContaining("key '1'");
        assertThatThrownBy(() -> jsonOf(Map.of("a", Double.NaN))).hasMessageContaining("'NaN' of type Double");
        assertThatThrownBy(() -> json(new AmqpSequence<>(List.of(1)))).hasMessageContaining("amqp-sequence");
    }

    @Test
    void refusesAValueThatIsNestedTooDeeplyBeforeItIsDecoded() {
        Object nested = "core";
        for (int i = 0; i < 40; i++) {
            nested = List.of(nested);
        }
        Object deep = nested;
        assertThatThrownBy(() -> jsonOf(deep))
                .isInstanceOfSatisfying(
                        MalformedMessage.class, e -> assertThat(e.code()).isEqualTo("RT-4300"));
    }
}

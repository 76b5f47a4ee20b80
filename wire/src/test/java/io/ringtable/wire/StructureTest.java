package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.junit.jupiter.api.Test;

class StructureTest {
    private static final int ARRAY = 0xf0;

    private final Structure structure = new Structure();

    private void isRefused(byte[] value, String why) {
        assertThatThrownBy(() -> structure.check(value, 0, value.length))
                .isInstanceOfSatisfying(
                        MalformedMessage.class,
                        refused -> assertThat(refused.code()).isIn("RT-4300", null))
                .hasMessageContaining(why);
    }

    private void passes(byte[] value) throws MalformedMessage {
        assertThat(structure.check(value, 0, value.length)).isEqualTo(value.length);
    }

    private void passesAsSection(byte[] message) throws MalformedMessage {
        structure.checkSection(section(message));
    }

    private static Sections section(byte[] message) throws MalformedMessage {
        Sections sections = new Sections().over(message, 0, message.length);
        assertThat(sections.advance()).isTrue();
        return sections;
    }

    private static byte[] body(byte[] value) {
        return new Poison().put(0, 0x53, Sections.VALUE).put(value).bytes();
    }

    private static byte[] nulls(int count) {
        byte[] nulls = new byte[count];
        Arrays.fill(nulls, (byte) Encoding.NULL);
        return new Poison().compound(Encoding.LIST_32, count, nulls).bytes();
    }

    @Test
    void refusesWhatIsNestedTooDeeply() throws Exception {
        passes(Poison.nested(Structure.DEPTH_MAX, 0));
        isRefused(Poison.nested(Structure.DEPTH_MAX + 1, 0), "nested deeper than 32");
        isRefused(Poison.nested(200_000, 0), "nested deeper than 32");
        isRefused(new byte[1_000_000], "nested deeper than 32"); // described by what is described
    }

    @Test
    void refusesCountsThatAreNotBorneOut() {
        isRefused(Poison.nested(30, Integer.MAX_VALUE), "ends at byte");
        isRefused(new Poison().compound(Encoding.LIST_32, -1, new byte[] {0x40}).bytes(), "4294967295 elements");
        isRefused(
                new Poison()
                        .compound(Encoding.LIST_32, 1, new byte[] {0x40, 0x40})
                        .bytes(),
                "elements");
        isRefused(new Poison().compound(Encoding.MAP_32, 1, new byte[] {0x40}).bytes(), "elements");
        isRefused(new Poison().compound(ARRAY, 3, new byte[] {0x50, 1, 2}).bytes(), "passes the end");
        isRefused(new Poison().put(0xc0, 2, 9, 0x40).bytes(), "elements");
    }

    @Test
    void refusesMoreValuesThanAReaderShouldMakeRoomFor() throws Exception {
        passes(nulls(Structure.VALUES_MAX - 1));
        isRefused(nulls(Structure.VALUES_MAX), "more than 16384 values");
        isRefused(
                new Poison()
                        .compound(ARRAY, Integer.MAX_VALUE, new byte[] {0x45})
                        .bytes(),
                "values");
    }

    @Test
    void aSectionMayHaveAsManyValuesAsBytes() throws Exception {
        passesAsSection(body(nulls(Structure.VALUES_MAX)));
        passesAsSection(body(nulls(Structure.SECTION_VALUES_MAX - 1)));
        byte[] tooMany = body(nulls(Structure.SECTION_VALUES_MAX));
        assertThatThrownBy(() -> passesAsSection(tooMany)).hasMessageContaining("more than 1048576 values");
        byte[] withoutBytes = body(new Poison()
                .compound(ARRAY, Structure.VALUES_MAX, new byte[] {Encoding.NULL})
                .bytes());
        assertThatThrownBy(() -> passesAsSection(withoutBytes)).hasMessageContaining("more than 16384 values");
    }

    @Test
    void whatASectionHoldsIsNestedAsDeeplyAsAnyValue() throws Exception {
        passesAsSection(body(Poison.nested(Structure.DEPTH_MAX, 0)));
        passesAsSection(Poison.property(Poison.nested(Structure.DEPTH_MAX, 0)));
        byte[] body = body(Poison.nested(Structure.DEPTH_MAX + 1, 0));
        byte[] property = Poison.property(Poison.nested(Structure.DEPTH_MAX + 1, 0));
        assertThatThrownBy(() -> passesAsSection(body)).hasMessageContaining("nested deeper");
        assertThatThrownBy(() -> passesAsSection(property)).hasMessageContaining("nested deeper");
    }

    @Test
    void whatLibrariesWritePasses() throws Exception {
        passesAsSection(Encoded.message(new AmqpValue<>(List.of(
                1,
                "two",
                Map.of("k", List.of(), "m", Map.of()),
                new int[][] {{1}, {2, 3}},
                new String[] {"x", "y"},
                new boolean[] {true, false},
                Symbol.valueOf("s"),
                Collections.nCopies(300, 7L),
                new UnknownDescribedType(Symbol.valueOf("d"), List.of("described"))))));
    }
}

package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Pins the names that clients of other languages, and nodes of other versions, know from docs/protocol.md. */
class RingtableSymbolsTest {
    @Test
    void namesStayAsTheyAre() throws Exception {
        Map<String, String> names = new TreeMap<>();
        for (Field field : RingtableSymbols.class.getFields()) {
            names.put(field.getName(), field.get(null).toString());
        }
        assertThat(names)
                .containsOnly(
                        Map.entry("PRODUCER", "ringtable:producer"),
                        Map.entry("PRODUCER_INCARNATION", "ringtable:producer-incarnation"),
                        Map.entry("PRODUCER_LAST_NUMBER", "ringtable:producer-last-number"),
                        Map.entry("DUPLICATE_IDS", "ringtable:duplicate-ids"),
                        Map.entry("DELETE", "ringtable:delete"),
                        Map.entry("DELETE_IF_UNUSED", "if-unused"),
                        Map.entry("DELETE_ALWAYS", "always"),
                        Map.entry("SINCE", "ringtable:since:timestamp"),
                        Map.entry("REJECTED_BY_APPLICATION", "ringtable:rejected-by-application"),
                        Map.entry("RELAY", "ringtable:relay"),
                        Map.entry("RELAY_PRODUCER", "ringtable:relay-producer"),
                        Map.entry("NODE", "ringtable:node"),
                        Map.entry("CLIENT", "ringtable:client"),
                        Map.entry("HANDED_OVER", "ringtable:handed-over"),
                        Map.entry("MAKES_WAY", "ringtable:makes-way"),
                        Map.entry("PART", "ringtable:part"),
                        Map.entry("PARTS", "ringtable:parts"),
                        Map.entry("OLD_HOME", "ringtable:old-home"),
                        Map.entry("REPLAYS", "ringtable:replays"),
                        Map.entry("REDIRECT", "ringtable:redirect"),
                        Map.entry("REDIRECTED", "ringtable:redirected"));
        assertThat(BatchFormat.CAPABILITY).hasToString("RINGTABLE_BATCH");
        assertThat(BatchFormat.CODE).isEqualTo(0x80013700);
    }
}

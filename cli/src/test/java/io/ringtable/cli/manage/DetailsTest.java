package io.ringtable.cli.manage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Tests lists of fields. */
class DetailsTest {

    @Test
    void fieldsStandInTheirOrderWithoutWhatIsEmpty() {
        assertThat(Details.of(JsonMapper.shared().readTree("""
                        {"name": "orders", "messages": 1234567, "stuck": null, "owner": "", "exclusive": false,
                         "groups": ["a", "b"], "policy": {}, "subscriptions": []}""")))
                .containsExactly("name       orders", "messages   1234567", "exclusive  no", "groups     a, b");
    }

    @Test
    void objectsAndListsOfObjectsStandBelowTheirName() {
        assertThat(Details.of(JsonMapper.shared().readTree("""
                        {"sequence": 7, "header": {"priority": 4, "deliveryCount": 0},
                         "owed": [{"subscription": 12, "reason": "NO_CONSUMER"}, {"subscription": 3, "failures": 2}]}""")))
                .containsExactly(
                        "sequence  7",
                        "header",
                        "  priority       4",
                        "  deliveryCount  0",
                        "owed",
                        "  subscription  reason       failures",
                        "            12  NO_CONSUMER",
                        "             3                      2");
    }

    @Test
    void aTextOfSeveralLinesStaysOneAndDrivesNoTerminal() {
        assertThat(Details.of(JsonMapper.shared().readTree("{\"text\":\"one\\n\\ttwo\\u001b[2J\"}")))
                .containsExactly("text", "  one", "      two?[2J");
    }

    @Test
    void jsonThatSomebodyWroteStaysJson() {
        assertThat(Details.of(
                        JsonMapper.shared().readTree("{\"body\":{\"json\":{\"to\":\"LIS\",\"seats\":null}}}"), "json"))
                .containsExactly(
                        "body", "  json", "    {", "      \"to\" : \"LIS\",", "      \"seats\" : null", "    }");
    }
}

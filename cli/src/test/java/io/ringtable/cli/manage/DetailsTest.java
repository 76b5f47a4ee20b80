package io.ringtable.cli.manage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Tests lists of fields. */
class DetailsTest {

    private static List<String> details(String json, String... asJson) {
        return Details.of(JsonMapper.shared().readTree(json), 60, asJson);
    }

    @Test
    void fieldsStandInTheirOrderWithoutWhatIsEmpty() {
        assertThat(details("""
                        {"name": "orders", "messages": 1234567, "stuck": null, "owner": "", "exclusive": false,
                         "groups": ["a", "b"], "policy": {}, "subscriptions": []}"""))
                .containsExactly("name       orders", "messages   1234567", "exclusive  no", "groups     a, b");
    }

    @Test
    void objectsAndListsOfObjectsStandBelowTheirName() {
        assertThat(details("""
                        {"sequence": 7, "header": {"priority": 4, "deliveryCount": 0},
                         "owed": [{"subscription": 12, "reason": "NO_CONSUMER"},
                          {"subscription": 3, "failures": 2}]}"""))
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
    void aListThatIsTooWideForATableIsOneThingAfterTheOther() {
        String text = "t".repeat(50);

        assertThat(details("{\"owing\":[{\"id\":1,\"text\":\"" + text
                        + "\",\"cure\":\"wait\"},{\"id\":22,\"text\":\"x\"}]}"))
                .containsExactly(
                        "owing", "  id    1", "  text  " + text, "  cure  wait", "", "  id    22", "  text  x");
    }

    @Test
    void aTextOfSeveralLinesStaysOneAndDrivesNoTerminal() {
        assertThat(details("{\"text\":\"one\\n\\ttwo\\u001b[2J\"}")).containsExactly("text", "  one", "      two?[2J");
    }

    @Test
    void jsonThatSomebodyWroteStaysJson() {
        assertThat(details("{\"body\":{\"json\":{\"to\":\"LIS\",\"seats\":null}}}", "json"))
                .containsExactly(
                        "body", "  json", "    {", "      \"to\" : \"LIS\",", "      \"seats\" : null", "    }");
    }
}

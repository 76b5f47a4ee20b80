package io.ringtable.cli.manage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests tables of items. */
class TableTest {

    private static List<JsonNode> items(String json) {
        return JsonMapper.shared().readTree(json).valueStream().toList();
    }

    private static List<String> table(int width, String json, String... fields) {
        return Table.of(items(json), List.of(fields), width);
    }

    @Test
    void numbersEndBelowTheEndOfTheirHeading() {
        assertThat(table(
                        Table.UNBOUNDED,
                        "[{'name':'orders','messagesMax':2000000},{'name':'a','messagesMax':7}]".replace('\'', '"'),
                        "name",
                        "messagesMax"))
                .containsExactly("name    messages max", "orders     2,000,000", "a                  7");
    }

    @Test
    void numbersThatAreNamesHaveNoSeparators() {
        assertThat(table(Table.UNBOUNDED, "[{\"sequence\":1234567,\"bytes\":1234567}]", "sequence", "bytes"))
                .containsExactly("sequence      bytes", " 1234567  1,234,567");
    }

    @Test
    void aColumnWithoutAnyValueIsLeftOut() {
        assertThat(table(
                        Table.UNBOUNDED,
                        "[{\"name\":\"a\",\"stuck\":null},{\"name\":\"b\",\"kept\":{\"bytes\":5}}]",
                        "name",
                        "stuck",
                        "owner",
                        "kept/bytes"))
                .containsExactly("name  kept bytes", "a", "b              5");
    }

    @Test
    void timesAreCutToTheSecondAndListsAreJoined() {
        assertThat(table(
                        Table.UNBOUNDED,
                        "[{\"since\":\"2026-11-26T00:26:18.123456Z\",\"groups\":[\"x\",\"y\"],\"shared\":true}]",
                        "since",
                        "groups",
                        "shared"))
                .containsExactly("since                 groups  shared", "2026-11-26T00:26:18Z  x, y    yes");
    }

    @Test
    void theWidestTextsAreCutUntilTheLineFits() {
        List<String> lines = table(
                40,
                "[{\"id\":1,\"name\":\"" + "n".repeat(60) + "\",\"kind\":\"QUEUE\",\"reason\":\"" + "r".repeat(30)
                        + "\"}]",
                "id",
                "name",
                "kind",
                "reason");

        assertThat(lines.get(1)).hasSize(40).matches(" 1  n{12,14}…  QUEUE  r{12,14}…");
        assertThat(lines.get(0)).matches("id  name +kind   reason");
    }

    @Test
    void timesLoseTheirYearBeforeTextsAreCut() {
        assertThat(table(
                        31,
                        "[{\"name\":\"n123456789\",\"at\":\"2026-11-26T00:26:18.5Z\",\"bytes\":5},{\"name\":\"m\"}]",
                        "name",
                        "at",
                        "bytes"))
                .containsExactly("name      at              bytes", "n123456…  11-26 00:26:18      5", "m");
    }

    @Test
    void numbersAreNeverCut() {
        assertThat(table(4, "[{\"name\":\"short\",\"bytes\":123456789}]", "name", "bytes"))
                .containsExactly("name         bytes", "short  123,456,789");
    }

    @Test
    void noNameDrivesTheTerminal() {
        assertThat(table(Table.UNBOUNDED, "[{\"name\":\"a\\u001b[2J\\nb\\u009b\\u202e\"}]", "name"))
                .containsExactly("name", "a?[2J?b??");
    }
}

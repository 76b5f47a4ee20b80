package io.ringtable.broker.admin.console.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** How the console shows what an operation answers. */
class FactsTest {
    private static Facts facts(String json) {
        return Facts.of("", JsonMapper.shared().readTree(json));
    }

    private static List<String> shown(Facts facts) {
        return facts.facts().stream()
                .map(fact -> fact.name() + ": " + fact.value().text())
                .toList();
    }

    @Test
    void showsValuesAsTheirNamesAndTypesAskFor() {
        assertThat(shown(facts("""
                {"sequence": 1234567, "owed": 1234567, "heldBytes": 2048, "ageMs": 1500, "tls": true,
                 "publishedAt": "2026-11-26T00:00:00.123Z", "kind": "QUEUE", "name": "QUEUE", "groups": ["a", "b"],
                 "none": null}
                """)))
                .containsExactly(
                        "Sequence: 1234567",
                        "Owed: 1,234,567",
                        "Held bytes: 2.0 KB",
                        "Age: 1.5 s",
                        "Tls: yes",
                        "Published: 2026-11-26 00:00:00",
                        "Kind: queue",
                        "Name: QUEUE",
                        "Groups: a, b");
    }

    @Test
    void showsListsAsTablesAndThingsAsParts() {
        Facts facts = facts("""
                {"deliveries": [{"to": "a", "at": "2026-11-26T00:00:00Z"}, {"to": "b", "failure": "RT-1"}],
                 "place": {"lane": "ring"}, "empty": {}}
                """);

        assertThat(facts.facts()).isEmpty();
        Table table = facts.tables().get(0).table();
        assertThat(table.heads()).containsExactly("To", "At", "Failure");
        assertThat(table.rows().get(1)).extracting(Cell::text).containsExactly("b", "–", "RT-1");
        assertThat(facts.parts()).singleElement().satisfies(part -> {
            assertThat(part.title()).isEqualTo("Place");
            assertThat(shown(part)).containsExactly("Lane: ring");
        });
    }

    @Test
    void givesLongTextsLinesOfTheirOwn() {
        Facts facts = facts("{\"text\": \"one\\ntwo\", \"short\": \"one\"}");

        assertThat(shown(facts)).containsExactly("Short: one");
        assertThat(facts.texts())
                .singleElement()
                .satisfies(text -> assertThat(text.value().text()).isEqualTo("one\ntwo"));
    }

    @Test
    void leavesColumnsOutThatNobodyFills() {
        Table table = Table.of(
                JsonMapper.shared().readTree("[{\"name\": \"\", \"owed\": 5}]"),
                List.of(Column.of("Name", "name").orElse("(none)"), Column.of("Owed", "owed"), Column.of("X", "x")));

        assertThat(table.heads()).containsExactly("Name", "Owed");
        assertThat(table.numbers()).containsExactly(false, true);
        assertThat(table.rows().get(0)).extracting(Cell::text).containsExactly("(none)", "5");
    }
}

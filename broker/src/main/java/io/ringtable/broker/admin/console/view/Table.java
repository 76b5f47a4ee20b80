package io.ringtable.broker.admin.console.view;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Is a table as a page shows it.
 *
 * @param numbers for each column whether it has numbers, whose head stands at the right as well
 */
public record Table(List<String> heads, List<Boolean> numbers, List<List<Cell>> rows) {

    public static Table of(JsonNode items, List<Column> columns) {
        List<JsonNode> all = new ArrayList<>();
        items.forEach(all::add);
        List<Column> shown = columns.stream()
                .filter(column -> all.stream().anyMatch(column::isIn))
                .toList();
        List<List<Cell>> rows = all.stream()
                .map(item ->
                        shown.stream().map(column -> column.cell().apply(item)).toList())
                .toList();
        return of(shown.stream().map(Column::head).toList(), rows);
    }

    public static Table of(List<String> heads, List<List<Cell>> rows) {
        List<Boolean> numbers = new ArrayList<>();
        for (int i = 0; i < heads.size(); i++) {
            numbers.add(!rows.isEmpty() && rows.get(0).get(i).isNumber());
        }
        return new Table(heads, numbers, rows);
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }
}

package io.ringtable.broker.admin.console.view;

import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Is one column of a table of things that an operation lists.
 *
 * @param field what the column is about; a column whose field no item has is left out
 * @param isRare whether it is left out as well if the field is empty, 0 or false everywhere
 * @param cell makes the cell of an item
 */
public record Column(String head, String field, boolean isRare, Function<JsonNode, Cell> cell) {

    /** Shows the field as its name and its type ask for. */
    public static Column of(String head, String field) {
        return new Column(head, field, false, item -> Facts.cell(field, item.path(field)));
    }

    public static Column rare(String head, String field) {
        return new Column(head, field, true, item -> Facts.cell(field, item.path(field)));
    }

    public Column leadingTo(Function<JsonNode, String> target) {
        return new Column(head, field, isRare, item -> cell.apply(item).leadingTo(target.apply(item)));
    }

    /** Shows one text where the field is empty. */
    public Column orElse(String text) {
        return new Column(head, field, isRare, item -> cell.apply(item).orElse(text));
    }

    /** Tells whether the item has something to show in this column. */
    public boolean isIn(JsonNode item) {
        JsonNode value = item.path(field);
        if (!isRare || value.isMissingNode() || value.isNull()) {
            return item.hasNonNull(field);
        }
        if (value.isNumber()) {
            return value.asDouble() != 0;
        }
        return value.isBoolean() ? value.asBoolean() : !value.asString("").isEmpty();
    }
}

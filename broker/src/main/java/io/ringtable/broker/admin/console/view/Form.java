package io.ringtable.broker.admin.console.view;

import java.util.List;
import java.util.Map;

/**
 * Is a form as a page shows it.
 *
 * @param url that the form is sent to
 * @param isSearch whether it only asks, so that the browser may repeat it
 * @param question what the user opens first, and what then stands above the button; null if the form is open
 * @param submit text of the button
 * @param isDangerous whether what it does cannot be undone
 * @param hidden what goes with it unseen
 */
public record Form(
        String url,
        boolean isSearch,
        String question,
        String submit,
        boolean isDangerous,
        Map<String, String> hidden,
        List<Field> fields) {

    /**
     * Is one field.
     *
     * @param type {@code text}, {@code search}, {@code number}, {@code area}, {@code check} or {@code choice}
     * @param options of a choice: value to text
     * @param hint an example; null if the label says it all
     */
    public record Field(
            String name,
            String label,
            String value,
            String type,
            Map<String, String> options,
            String hint,
            boolean required) {}

    public static Form search(String url, Field... fields) {
        return search(url, "Search", fields);
    }

    public static Form search(String url, String submit, Field... fields) {
        return new Form(url, true, null, submit, false, Map.of(), List.of(fields));
    }

    /** Returns a form for what cannot be undone. */
    public static Form danger(String url, String question, String submit, Map<String, String> hidden, Field... fields) {
        return new Form(url, false, question, submit, true, hidden, List.of(fields));
    }

    /** Makes a form that stands behind a question, so that nobody presses its button by accident. */
    public static Form button(String url, String question, String submit, Map<String, String> hidden, Field... fields) {
        return new Form(url, false, question, submit, false, hidden, List.of(fields));
    }

    public static Field text(String name, String label, String value, String hint) {
        return new Field(name, label, value, "text", Map.of(), hint, false);
    }

    public static Field area(String name, String label, String value) {
        return new Field(name, label, value, "area", Map.of(), null, false);
    }

    public static Field number(String name, String label, String value, String hint) {
        return new Field(name, label, value, "number", Map.of(), hint, false);
    }

    public static Field check(String name, String label) {
        return new Field(name, label, "true", "check", Map.of(), null, false);
    }

    public static Field choice(String name, String label, String value, Map<String, String> options) {
        return new Field(name, label, value, "choice", options, null, false);
    }

    /** Returns the same field, which must not be left empty. */
    public static Field required(Field field) {
        return new Field(field.name(), field.label(), field.value(), field.type(), field.options(), field.hint(), true);
    }
}

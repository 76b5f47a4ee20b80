package io.ringtable.broker.admin.console.view;

/**
 * Is one cell of a table.
 *
 * @param link where the text leads; null if nowhere
 * @param style {@code number} stands at the right, below others of its kind; {@code time} stands in one line,
 *     {@code long} may break anywhere; else empty
 * @param share from 0 to 1, drawn as a bar; below 0 if there is no bar
 */
public record Cell(String text, String link, String style, double share) {
    private static final String NUMBER = "number";
    private static final int WORD_MAX = 24; // beyond, a text may be an id without a space

    public static Cell text(String text) {
        return new Cell(text, null, text.length() > WORD_MAX ? "long" : "", -1);
    }

    public static Cell time(String text) {
        return new Cell(text, null, "time", -1);
    }

    public static Cell number(String text) {
        return new Cell(text, null, NUMBER, -1);
    }

    public static Cell share(double share) {
        return new Cell(Shown.share(share), null, NUMBER, Math.min(1, share));
    }

    public Cell leadingTo(String target) {
        return new Cell(text, target, style, share);
    }

    /** Returns the same cell with that text, where it has none. */
    public Cell orElse(String other) {
        return text.isEmpty() ? new Cell(other, link, style, share) : this;
    }

    public boolean isNumber() {
        return style.equals(NUMBER);
    }
}

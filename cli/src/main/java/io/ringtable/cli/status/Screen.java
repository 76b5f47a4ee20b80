package io.ringtable.cli.status;

import java.io.PrintWriter;
import java.util.List;

/**
 * Draws lines in place, on a terminal's second screen: what stood on the first one comes back at the end, also at
 * Ctrl-C. Lines that find no room at the right or at the bottom are cut.
 * <p>
 * Thread: the command's draws; the JVM's end restores the terminal from a thread of its own.
 */
final class Screen implements AutoCloseable {
    /** Goes to the second screen, hides the cursor, and cuts lines instead of wrapping them. */
    private static final String OPEN = "\u001b[?1049h\u001b[?25l\u001b[?7l";

    private static final String CLOSE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String CLEAR_RIGHT = "\u001b[K";

    private final PrintWriter out;
    private final Thread atEnd = new Thread(this::restore, "screen");
    private boolean open = true; // guarded by this

    Screen(PrintWriter out) {
        this.out = out;
        Runtime.getRuntime().addShutdownHook(atEnd);
        print(OPEN);
    }

    synchronized void draw(List<String> lines) {
        if (!open) {
            return;
        }
        // Positions beyond the bottom mean the last row, so that nothing scrolls whatever the height. The clearing
        // comes first: behind too many lines it would take the last one.
        StringBuilder frame = new StringBuilder(at(lines.size() + 1)).append(CLEAR_BELOW);
        for (int i = 0; i < lines.size(); i++) {
            frame.append(at(i + 1)).append(lines.get(i)).append(CLEAR_RIGHT);
        }
        print(frame.toString());
    }

    private static String at(int row) {
        return "\u001b[" + row + ";1H";
    }

    private void print(String text) {
        out.print(text);
        out.flush();
    }

    private synchronized void restore() {
        if (open) {
            open = false;
            print(CLOSE);
        }
    }

    @Override
    public void close() {
        restore();
        Runtime.getRuntime().removeShutdownHook(atEnd);
    }
}

package io.ringtable.cli.process;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.terminal.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Runs a backup or a restore as a process of the broker's jar, and shows how far it is. That jar has the database that
 * this one lacks. The process ends when this one does: its standard input ends then.
 * <p>
 * Thread: the command's.
 */
public final class StoreCopyProcess implements AutoCloseable {
    private static final String PROGRAM = "io.ringtable.broker.store.sqlite.copy.SqliteCopyProgram";
    private static final int BITS_OF_A_MB = 20;

    private final String task;
    private Progress bar; // null until the first step, which says how large the store is
    private String done; // what the program has done; null = nothing yet
    private String failed; // its error, with a code; null = none

    private StoreCopyProcess(String task) {
        this.task = task;
    }

    /**
     * Runs the program to its end, and prints what it has done.
     *
     * @param arguments of the program, the task first
     * @throws CommandFailed with the program's own error if it has not done it
     */
    public static void run(PrintWriter out, List<String> arguments) throws IOException, InterruptedException {
        long began = System.nanoTime();
        Process process = new ProcessBuilder(Installation.find().programCommand(PROGRAM, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (StoreCopyProcess copy = new StoreCopyProcess(arguments.get(0));
                BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                copy.hear(line);
            }
            copy.check(process.waitFor());
            out.println(String.format(Locale.ROOT, "%s (%.1f s)", copy.done, (System.nanoTime() - began) / 1e9));
            out.flush();
        }
    }

    private void hear(String line) {
        String[] words = line.split(" ", 2);
        switch (words[0]) {
            case "copied" -> {
                String[] bytes = words[1].split(" ");
                copied(Long.parseLong(bytes[0]), Long.parseLong(bytes[1]));
            }
            case "checking" -> close(); // takes about as long, and says nothing meanwhile
            case "done" -> done = words[1];
            case "failed" -> failed = words[1];
            default -> throw new IllegalStateException("the program that copies said: " + line);
        }
    }

    private void copied(long bytes, long total) {
        if (bar == null) {
            bar = new Progress(task, Math.max(1, total >> BITS_OF_A_MB), " MB");
        }
        bar.at(bytes >> BITS_OF_A_MB);
    }

    private void check(int exitCode) {
        close();
        if (failed != null) {
            String[] codeAndText = failed.split(" ", 2);
            throw new CommandFailed(ExitCode.FAILED, codeAndText[0], codeAndText[1]);
        }
        if (done == null) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6036",
                    "the process that copies ended with " + exitCode + " before it was done: nothing has the final"
                            + " name; delete the file NAME.part if it is left");
        }
    }

    /** Ends the bar. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}

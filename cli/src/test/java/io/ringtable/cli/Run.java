package io.ringtable.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/** Runs the command line once, and holds its output and its exit code. */
record Run(int exitCode, String out, String err) {

    static Run of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine = RingtableCommand.commandLine(arguments); // as the program makes it
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(arguments);
        return new Run(exitCode, out.toString(), err.toString());
    }

    List<String> lines() {
        return out.lines().toList();
    }
}

package io.ringtable.acceptance.greed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the process of the attackers, {@link AttackersMain}, which waits for the command to begin and reports its deeds
 * at its end. The process has a low priority, so that it attacks the broker and not the processor that all share.
 * <p>
 * Thread: the test's.
 */
final class Attackers implements AutoCloseable {
    private static final long END_MAX_S = 30;

    private final Process process;
    private final BufferedReader output;

    /** Returns when the ground is laid. */
    Attackers(AttackName attack, int port) {
        List<String> command = new ArrayList<>(List.of("nice", "-n", "10"));
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-cp"));
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.addAll(List.of(AttackersMain.class.getName(), attack.name(), Integer.toString(port)));
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        expect(AttackersMain.READY);
    }

    private void expect(String word) {
        String line = read();
        if (!word.equals(line)) {
            close();
            throw new AssertionError("the attackers were to say " + word + " and said " + line);
        }
    }

    long pid() {
        return process.pid();
    }

    void begin() {
        tell(AttackersMain.BEGIN);
    }

    /** Returns when they have done what proves that the attack bites, or have tried for long. */
    void awaitBite() {
        expect(AttackersMain.BITES);
    }

    /** Returns what they have done, when they have ended. Follows {@link #awaitBite}. */
    Deeds end() {
        tell(AttackersMain.END);
        Deeds deeds = new Deeds();
        for (String line = read(); line != null; line = read()) {
            int tab = line.indexOf('\t');
            deeds.add(line.substring(tab + 1), Long.parseLong(line.substring(0, tab)));
        }
        close();
        return deeds;
    }

    private void tell(String word) {
        try {
            process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the attackers have ended by themselves", e);
        }
    }

    private String read() {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_MAX_S, TimeUnit.SECONDS)) {
                throw new AssertionError("the attackers do not end");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

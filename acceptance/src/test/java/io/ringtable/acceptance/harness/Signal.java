package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A signal to processes of this machine. One that has ended meanwhile is passed over. */
public enum Signal {
    STOP,
    CONT,
    KILL,
    TERM,
    INT;

    public void to(long process) {
        to(List.of(process));
    }

    public void to(Collection<Long> processes) {
        if (processes.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("kill", "-" + name()));
        processes.forEach(process -> command.add(Long.toString(process)));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

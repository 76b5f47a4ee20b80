package io.ringtable.cli.run;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.Installation;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Runs a broker until it is interrupted.
 * <p>
 * The script {@code bin/ringtable} asks this class for its help only: for {@code broker} it starts the broker itself.
 */
@Command(
        name = "broker",
        description = {
            "Runs a broker in the foreground until it is interrupted.",
            "By default the broker stores in ./data and listens on 127.0.0.1:5672 (AMQP) and 127.0.0.1:8161 (HTTP)."
        },
        mixinStandardHelpOptions = true)
public final class BrokerCommand implements Callable<Integer> {

    @Parameters(
            arity = "0..*",
            paramLabel = "--PROPERTY=VALUE",
            description = "Properties of the broker, such as --ringtable.store.url=jdbc:postgresql://host/db; see"
                    + " docs/operations.md. Passwords belong in the environment: RINGTABLE_STORE_PASSWORD.")
    private List<String> properties = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Installation.find().brokerCommand(properties))
                .inheritIO()
                .start();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            process.destroy();
                            process.onExit().join();
                        },
                        "stop-broker"));
        return process.waitFor() == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }
}

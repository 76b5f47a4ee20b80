package io.ringtable.cli.administration;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.ManagementClient;
import io.ringtable.cli.manage.ManagementFailure;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.terminal.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Waits for a job of the broker, with a bar of its progress. Ctrl-C ends the waiting and not the job, and says so. The
 * job goes on after a restart of the broker, and so does the waiting.
 * <p>
 * Thread: the command's; at Ctrl-C the JVM prints from a thread of its own.
 */
final class JobWatch {
    private static final long LOOK_MS = 250;
    private static final Duration AWAY_MAX = Duration.ofMinutes(2);

    private final ManagementClient broker;
    private final PrintWriter err;
    private final long id;

    JobWatch(ManagementClient broker, PrintWriter err, long id) {
        this.broker = broker;
        this.err = err;
        this.id = id;
    }

    /**
     * Returns the job as it ended.
     *
     * @param total messages that it works with, as far as known; -1 = unknown
     * @throws CommandFailed RT-6047 if this thread is interrupted
     * @throws ManagementFailure if the broker is away for two minutes, or does not know the job
     */
    JsonNode await(long total) {
        Thread atEnd = new Thread(() -> err.println("\n" + goesOn(id)), "job-goes-on");
        Runtime.getRuntime().addShutdownHook(atEnd);
        try {
            JsonNode job = look();
            if (isRunning(job)) {
                job = follow(job, total);
            }
            return job;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailed(ExitCode.FAILED, "RT-6047", "interrupted: " + goesOn(id));
        } finally {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        }
    }

    private JsonNode follow(JsonNode begun, long total) throws InterruptedException {
        JsonNode job = begun;
        String action = job.path("action").asString("job").toLowerCase(Locale.ROOT);
        try (Progress progress = new Progress(action, total, " msg")) {
            while (isRunning(job)) {
                progress.at(job.path("done").asLong() + job.path("failed").asLong());
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                job = look();
            }
            progress.at(job.path("done").asLong() + job.path("failed").asLong());
        }
        return job;
    }

    private static boolean isRunning(JsonNode job) {
        return job.path("state").asString("").equalsIgnoreCase("RUNNING");
    }

    /** Asks for the job; a broker that starts anew may take its time. */
    private JsonNode look() throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            try {
                return broker.get(Resource.of("jobs", id));
            } catch (ManagementFailure failure) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedException();
                }
                if (!failure.mayPass() || System.nanoTime() - began > AWAY_MAX.toNanos()) {
                    throw failure;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        }
    }

    /** Says how one sees and ends a job that nobody waits for. */
    static String goesOn(long id) {
        return "job " + id + " goes on in the broker: 'ringtable job show " + id + "' shows it, 'ringtable job cancel "
                + id + "' ends it";
    }
}

package io.ringtable.broker.admin.console;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Starts a Chromium of this machine that sees no other machine. Where there is none the test is skipped, or fails if
 * {@code clients.required} names chromium. Thread: the test's.
 */
final class Chromium {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final String CURE = "install Debian's packages chromium and chromium-driver";

    private Chromium() {}

    /** @param profile an empty directory */
    static ChromeDriver start(Path profile) {
        File program = find("chromium", "chromium-browser", "google-chrome");
        File driver = find("chromedriver");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program);
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // the pages are ours, and the superuser has no sandbox
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service =
                new ChromeDriverService.Builder().usingDriverExecutable(driver).build();
        return new ChromeDriver(service, options);
    }

    /**
     * Waits for what a page shows; a page that is being replaced has lost its elements for a moment. Each look is a
     * call through three processes.
     */
    static ConditionFactory await() {
        return Awaitility.await().pollInterval(LOOK).ignoreExceptionsInstanceOf(WebDriverException.class);
    }

    private static File find(String... names) {
        for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
            for (String name : names) {
                Path program = Path.of(directory, name);
                if (Files.isExecutable(program)) {
                    return program.toFile();
                }
            }
        }
        String missing = "none of " + List.of(names) + " is on the PATH: " + CURE;
        if (Stream.of(System.getProperty("clients.required", "").split("\\s*,\\s*"))
                .anyMatch("chromium"::equals)) {
            Assertions.fail(missing + "; clients.required names chromium");
        }
        System.err.println("SKIPPED the console in a browser: " + missing);
        return Assumptions.abort(missing);
    }
}

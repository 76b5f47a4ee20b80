package io.ringtable.spring.boot.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.spring.boot.OneBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The programs that docs/spring.md and the README begin with are those that run here. */
@ExtendWith({OneBroker.class, OutputCaptureExtension.class})
@Timeout(120)
class FirstMessageTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", "../.."));
    private static final Path TESTS = ROOT.resolve("spring/starter/src/test/java");

    @Test
    void theProgramOnJmsShipsWhatItOrders(CapturedOutput output) throws IOException {
        Class<?> program = io.ringtable.spring.boot.guide.jms.Shop.class;
        assertThat(page("docs/spring.md")).contains(block(program, "import "));
        assertThat(page("README.md")).contains(block(program, "@SpringBootApplication\n"));
        ships(program, "shipping an atlas", output);
    }

    @Test
    void theProgramOnTheSdkShipsWhatItOrders(CapturedOutput output) throws IOException {
        Class<?> program = io.ringtable.spring.boot.guide.sdk.Shop.class;
        assertThat(page("docs/spring.md")).contains(block(program, "import "));
        ships(program, "shipping Order[article=an atlas, copies=2]", output);
    }

    private static void ships(Class<?> program, String printed, CapturedOutput output) {
        // The class path of the tests has JPA, which asks for a database.
        StoreProperties store = OneBroker.database();
        try (ConfigurableApplicationContext context = SpringApplication.run(
                program,
                "--ringtable.client.uris=" + OneBroker.uri(),
                "--spring.datasource.url=" + store.url(),
                "--spring.datasource.username=" + store.username(),
                "--spring.datasource.password=" + store.password())) {
            await().untilAsserted(() -> assertThat(output.getOut()).contains(printed));
            assertThat(context.isRunning()).as("listeners keep it running").isTrue();
        }
    }

    /** The block of a page that has a program, from its first such line on. */
    private static String block(Class<?> program, String first) throws IOException {
        String source = Files.readString(TESTS.resolve(program.getName().replace('.', '/') + ".java"));
        return "```java\n" + source.substring(source.indexOf(first)) + "```\n";
    }

    private static String page(String name) throws IOException {
        return Files.readString(ROOT.resolve(name));
    }
}

package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Refuses a start in one line with a code, without a stack trace, and with nothing opened. */
@ExtendWith({OutputCaptureExtension.class, WithoutBuildProperties.class})
class RefusedStartTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --ringtable.amqp.prot=5672 | RT-1001 unknown property ringtable.amqp.prot \
                            | did you mean ringtable.amqp.port?
                    --ringtable.amqp.port=70000 | RT-1002 ringtable.amqp.port=70000 \
                            | is not between 0 and 65535: set it to a value in this range
                    --ringtable.amqp.port=high | RT-1002 ringtable.amqp.port=high \
                            | is not a whole number
                    --ringtable.tracing.enabled=maybe | RT-1002 ringtable.tracing.enabled=maybe \
                            | is not true or false
                    --ringtable.lease=5 | RT-1002 ringtable.lease=5ms \
                            | is not between 1s and 10m
                    --ringtable.lease=soon | RT-1002 ringtable.lease=soon \
                            | is not a duration such as 500ms, 30s or 5m
                    --ringtable.amqp.max-message-size=1X | RT-1002 ringtable.amqp.max-message-size=1X \
                            | is not a size such as 64KB or 16MB
                    --ringtable.dispatch.auto-create=all | RT-1002 ringtable.dispatch.auto-create=all \
                            | is not one of any, queue, topic, none
                    --ringtable.topics=queue://orders | RT-1038 ringtable.topics has 'queue://orders' \
                            | does not begin with queue://
                    --ringtable.ring.capacity=10000 | RT-1003 ringtable.ring.capacity=10000 \
                            | is not a multiple of 8192
                    --ringtable.store.url=jdbc:oracle:x | RT-3001 ringtable.store.url='jdbc:oracle:x' \
                            | supported are
                    --ringtable.amqp.host=0.0.0.0 | RT-1033 ringtable.amqp.host=0.0.0.0 \
                            | ringtable.security.allow-anonymous-remote=true
                    --ringtable.amqp.idle-timeout=50ms | RT-1002 ringtable.amqp.idle-timeout=50ms \
                            | neither 0 nor between
                    --ringtable.amqp.tls.certificate=x | RT-1122 ringtable.amqp.tls.certificate=x \
                            | both are needed
                    --ringtable.amqp.buffered-bytes-max=1KB | RT-1112 ringtable.amqp.buffered-bytes-max \
                            | raise the one
                    --ringtable.commit.linger=0 | RT-1043 ringtable.commit.linger \
                            | is not a property any more
                    --ringtable.commit.batch-messages-max=20000 | RT-1042 ringtable.commit. \
                            | raise ringtable.ring
                    --server.address=0.0.0.0 | RT-1054 server.address=0.0.0.0 \
                            | ringtable.security.allow-remote-http=true
                    --server.address= | RT-1054 server.address is empty \
                            | ringtable.security.allow-remote-http=true
                    --management.server.address=0.0.0.0 | RT-1054 management.server.address=0.0.0.0 \
                            | ringtable.security.allow-remote-http=true
                    --ringtable.security.users[0].name=x | RT-1002 ringtable.security.users[0].password \
                            | is empty
                    """)
    void refusesABadPropertyByNameWithTheCure(String argument, String refusal, String cure, CapturedOutput output) {
        assertThatThrownBy(() -> run(argument)).isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .containsOnlyOnce(refusal)
                .contains(cure)
                .doesNotContain("\tat ")
                .doesNotContain("APPLICATION FAILED");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void refusesToKeepMoreThanATopicMayHold(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        "--ringtable.dispatch.addresses[0].match=flights.#",
                        "--ringtable.dispatch.addresses[0].retention-bytes=10GB"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .contains("RT-1012 ringtable.dispatch.addresses[0].retention-bytes=")
                .contains("ringtable.commit.quota-bytes=")
                .contains("raise the one or lower the other")
                .doesNotContain("\tat ");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void refusesToKeepMoreThanThePolicyLetsATopicHold(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        "--ringtable.dispatch.addresses[0].match=flights.#",
                        "--ringtable.dispatch.addresses[0].bytes-max=8KB",
                        "--ringtable.dispatch.addresses[0].retention-bytes=8KB"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .contains("RT-1012 ringtable.dispatch.addresses[0].retention-bytes=")
                .contains("7/8 of ringtable.dispatch.addresses[0].bytes-max=");
    }

    @Test
    void refusesARetentionOfNoTime(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        "--ringtable.dispatch.addresses[0].match=flights.#",
                        "--ringtable.dispatch.addresses[0].retention-age=5"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .contains("RT-1002 ringtable.dispatch.addresses[0].retention-age=5ms")
                .contains("is not between 1s and 36500d")
                .doesNotContain("\tat ");
    }

    @Test
    void refusesMessageIdsAsDuplicateIdsWhereNoneAreKept(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        "--ringtable.dispatch.addresses[0].match=bridge.#",
                        "--ringtable.dispatch.addresses[0].duplicate-id=message-id",
                        "--ringtable.commit.duplicate-ids=0"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut()).contains("RT-1041 ringtable.dispatch.addresses 'bridge.#'");
    }

    @Test
    void refusesMorePartsThanThereAreShards(CapturedOutput output) {
        assertThatThrownBy(() -> run(
                        "--ringtable.dispatch.addresses[0].match=hot.#",
                        "--ringtable.dispatch.addresses[0].parts=3",
                        "--ringtable.shards=2"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .contains("RT-4520 ringtable.dispatch.addresses[0].parts=3 is more than ringtable.shards=2")
                .contains("lower the one or raise the other")
                .doesNotContain("\tat ");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void refusesAPasswordThatIsNotHashedWithoutShowingIt(CapturedOutput output) {
        assertThatThrownBy(() ->
                        run("--ringtable.security.users[0].name=x", "--ringtable.security.users[0].password=hush"))
                .isInstanceOf(Exception.class);

        assertThat(output.getAll()).contains("RT-1030").doesNotContain("hush");
    }

    @Test
    void refusesAnAmqpPortThatIsInUse(CapturedOutput output) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> run("--ringtable.amqp.port=" + taken.getLocalPort()))
                    .isInstanceOf(Exception.class);

            assertThat(output.getOut())
                    .contains("RT-4001 port " + taken.getLocalPort() + " is in use")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void refusesAnHttpPortThatIsInUse(CapturedOutput output) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> run("--server.port=" + taken.getLocalPort()))
                    .isInstanceOf(Exception.class);

            assertThat(output.getOut())
                    .contains("RT-1037 server.port=" + taken.getLocalPort() + " is in use")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void refusesADataDirectoryThatIsAFile(CapturedOutput output) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatThrownBy(() -> run("--ringtable.data-dir=" + file)).isInstanceOf(Exception.class);

        assertThat(output.getOut()).containsPattern("RT-\\d{4} .*file").doesNotContain("\tat ");
    }

    @Test
    void warnsOfAPasswordOnTheCommandLine(CapturedOutput output) {
        assertThatThrownBy(() -> run("--ringtable.store.password=hush", "--ringtable.amqp.port=70000"))
                .isInstanceOf(Exception.class);

        assertThat(output.getAll()).contains("RT-1022 ringtable.store.password").doesNotContain("hush");
    }

    private void run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "--ringtable.data-dir=" + directory,
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--logging.config=classpath:io/ringtable/broker/logback.xml"));
        for (String argument : arguments) {
            String name = argument.substring(0, argument.indexOf('=') + 1);
            all.removeIf(given -> given.startsWith(name)); // else both would be one list
            all.add(argument);
        }
        SpringApplication.run(BrokerApplication.class, all.toArray(String[]::new))
                .close();
    }
}

package io.ringtable.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.run.DemoCommand;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineInputTest {
    @TempDir
    Path directory;

    @Test
    void readsLinesWithTheirNumbersAndItsPlaceInTheFile() throws Exception {
        Path file = Files.writeString(directory.resolve("lines"), "eins\r\nzwölf\n\nlast");

        try (LineInput input = LineInput.open(file)) {
            assertThat(input.next()).isEqualTo("eins");
            assertThat(input.next()).isEqualTo("zwölf");
            assertThat(input.next()).isEmpty();
            assertThat(input.next()).isEqualTo("last");
            assertThat(input.lineNumber()).isEqualTo(4);
            assertThat(input.next()).isNull();
            assertThat(input.position()).isEqualTo(Files.size(file)).isEqualTo(input.size());
        }
    }

    @Test
    void unpacksWhatIsGzipped() throws Exception {
        Path file = directory.resolve("lines.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
        }

        try (LineInput input = LineInput.open(file)) {
            assertThat(input.next()).isEqualTo("one");
            assertThat(input.next()).isEqualTo("two");
            assertThat(input.next()).isNull();
        }
    }

    @Test
    void refusesBytesThatAreNoText() throws Exception {
        Path file = Files.write(directory.resolve("bytes"), new byte[] {'a', '\n', (byte) 0xff, '\n'});

        try (LineInput input = LineInput.open(file)) {
            assertThatThrownBy(input::next).isInstanceOf(CommandFailed.class).hasMessageStartingWith("RT-6004 ");
        }
    }

    @Test
    void hasTenThousandFlightsToShow() {
        try (LineInput input = LineInput.ofResource(DemoCommand.class, "flights-sample.csv.gz")) {
            assertThat(input.next()).startsWith("year,month,day");
            long rows = 0;
            while (input.next() != null) {
                rows++;
            }
            assertThat(rows).isEqualTo(10_000);
        }
    }
}

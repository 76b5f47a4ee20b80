package io.ringtable.cli.traffic;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Reads lines in UTF-8 from a file, gzipped or not, or from standard input. Any other encoding is refused: a message
 * must not differ from its line.
 */
public final class LineInput implements AutoCloseable {
    private static final Path STANDARD_INPUT = Path.of("-");

    private final Counting counting;
    private final BufferedReader reader;
    private final String name;
    private final long size;
    private long lineNumber;

    private LineInput(String name, InputStream raw, long size, boolean isZipped) throws IOException {
        this.name = name;
        this.size = size;
        counting = new Counting(new BufferedInputStream(raw, 1 << 16));
        InputStream plain = isZipped ? new GZIPInputStream(counting, 1 << 16) : counting;
        reader = new BufferedReader(
                new InputStreamReader(
                        plain,
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .onUnmappableCharacter(CodingErrorAction.REPORT)),
                1 << 16);
    }

    /** @param file null or {@code -} for standard input */
    static LineInput open(Path file) {
        try {
            return file == null || file.equals(STANDARD_INPUT)
                    ? new LineInput("standard input", System.in, -1, false)
                    : new LineInput(
                            file.toString(),
                            Files.newInputStream(file),
                            Files.size(file),
                            file.getFileName().toString().endsWith(".gz"));
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6003",
                    "cannot open " + file + " (" + e.getClass().getSimpleName()
                            + "): name a file that exists and is readable, or - for standard input");
        }
    }

    /** Opens a gzipped resource beside a class. */
    public static LineInput ofResource(Class<?> beside, String resource) {
        try {
            return new LineInput(resource, beside.getResourceAsStream(resource), -1, true);
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.FAILED, "RT-6003", "cannot read " + resource + ": the jar is damaged");
        }
    }

    /** Returns the next line without its line break, or null at the end. */
    public String next() {
        try {
            String line = reader.readLine();
            if (line != null) {
                lineNumber++;
            }
            return line;
        } catch (CharacterCodingException e) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6004",
                    name + " is not UTF-8 after line " + lineNumber + ": convert it, for example with iconv");
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6004",
                    "reading " + name + " failed after line " + lineNumber + ": " + e.getMessage());
        }
    }

    /** Returns the number of the last line read, from 1. */
    long lineNumber() {
        return lineNumber;
    }

    /** Returns the bytes read from the file so far. */
    long position() {
        return counting.taken;
    }

    /** Returns the bytes of the file, or -1 if unknown. */
    long size() {
        return size;
    }

    @Override
    public void close() {
        try {
            reader.close();
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.FAILED, "RT-6004", "closing " + name + " failed: " + e.getMessage());
        }
    }

    private static final class Counting extends FilterInputStream {
        private long taken;

        Counting(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            taken += read < 0 ? 0 : 1;
            return read;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            taken += Math.max(0, read);
            return read;
        }
    }
}

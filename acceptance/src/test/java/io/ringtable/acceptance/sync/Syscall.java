package io.ringtable.acceptance.sync;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One system call as strace saw it.
 *
 * @param thread that made it
 * @param file what its first argument, a descriptor, stands for: a path, or a socket as {@code TCP:[here->there]}
 * @param data bytes that were written; empty for other calls
 * @param startNs since the epoch; {@link Long#MAX_VALUE} is never reached
 * @param endNs since the epoch
 */
record Syscall(int thread, String name, String file, byte[] data, long startNs, long endNs, long result) {

    /** Returns the command line of strace; {@link #parse} reads exactly this form. */
    static List<String> strace(Path output) {
        return List.of(
                "strace",
                "-f",
                "--seccomp-bpf",
                "-qq",
                "-o",
                output.toString(),
                "--absolute-timestamps=format:unix,precision:ns",
                "--syscall-times=ns",
                "-yy",
                "-xx",
                "-s",
                "4194304",
                "-e",
                "signal=none",
                "-e",
                "trace=write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,sync_file_range,msync");
    }

    private static final Pattern LINE = Pattern.compile("^(\\d+) +(\\d+)\\.(\\d{9}) (.*)$", Pattern.DOTALL);
    private static final String UNFINISHED = " <unfinished ...>";
    private static final Pattern RESUMED = Pattern.compile("^<\\.\\.\\. \\w+ resumed>(.*)$", Pattern.DOTALL);
    private static final Pattern CALL = Pattern.compile("^(\\w+)\\(\\d+<(.*?)>(?:[,)]|, ).*", Pattern.DOTALL);
    private static final Pattern RESULT = Pattern.compile("\\) += (-?\\d+)[^<]*<(\\d+)\\.(\\d{9})>$");
    private static final Pattern STRING = Pattern.compile("\"((?:\\\\x[0-9a-f]{2})*)\"");

    private record Begun(long startNs, String text) {}

    /** Calls on descriptors, in the order of their ends; those that never ended are left out. */
    static List<Syscall> parse(Path output) throws IOException {
        List<Syscall> calls = new ArrayList<>();
        Map<Integer, Begun> unfinished = new HashMap<>();
        try (BufferedReader reader = Files.newBufferedReader(output, StandardCharsets.ISO_8859_1)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                Matcher parts = LINE.matcher(line);
                if (!parts.matches()) {
                    continue;
                }
                int thread = Integer.parseInt(parts.group(1));
                long time = nanos(parts.group(2), parts.group(3));
                String text = parts.group(4);
                Matcher resumed = RESUMED.matcher(text);
                if (text.endsWith(UNFINISHED)) {
                    unfinished.put(thread, new Begun(time, text.substring(0, text.length() - UNFINISHED.length())));
                } else if (resumed.matches()) {
                    Begun begun = unfinished.remove(thread);
                    if (begun != null) {
                        add(calls, thread, begun.startNs(), begun.text() + resumed.group(1));
                    }
                } else {
                    add(calls, thread, time, text);
                }
            }
        }
        return calls;
    }

    private static void add(List<Syscall> calls, int thread, long startNs, String text) {
        Matcher call = CALL.matcher(text);
        Matcher result = RESULT.matcher(text);
        if (call.matches() && result.find()) {
            long endNs = startNs + nanos(result.group(2), result.group(3));
            calls.add(new Syscall(
                    thread,
                    call.group(1),
                    path(call.group(2)),
                    data(text),
                    startNs,
                    endNs,
                    Long.parseLong(result.group(1))));
        }
    }

    private static long nanos(String seconds, String fraction) {
        return Long.parseLong(seconds) * 1_000_000_000L + Long.parseLong(fraction);
    }

    private static String path(String quoted) {
        return quoted.startsWith("\\x") ? new String(bytes(quoted), StandardCharsets.UTF_8) : quoted;
    }

    private static byte[] data(String text) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Matcher strings = STRING.matcher(text);
        while (strings.find()) {
            all.writeBytes(bytes(strings.group(1)));
        }
        return all.toByteArray();
    }

    private static byte[] bytes(String quoted) {
        byte[] bytes = new byte[quoted.length() / 4];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(quoted, i * 4 + 2, i * 4 + 4, 16);
        }
        return bytes;
    }

    boolean isSync() {
        return (name.equals("fdatasync") || name.equals("fsync")) && result == 0;
    }

    boolean isWrite() {
        return data.length > 0 && result > 0;
    }
}

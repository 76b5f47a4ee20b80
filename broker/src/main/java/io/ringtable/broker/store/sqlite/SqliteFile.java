package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.OwnFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Holds the file of a store for this process alone while it is open.
 * <p>
 * The lock is the operating system's, on {@code <file>.lock} beside it: it ends with the process, however that ends.
 * The text in the lock file is for people. (Locks of POSIX belong to the process, and end when any of its descriptors
 * of the file is closed. So nothing in this process opens a lock file twice.)
 * <p>
 * Thread: any; opened and closed once.
 */
public final class SqliteFile implements AutoCloseable {
    public static final String URL_PREFIX = "jdbc:sqlite:";
    private static final String FILE_NAME = "ringtable.db";
    private static final Set<String> SET_HERE = Set.of(
            "journal_mode",
            "synchronous",
            "fullsync",
            "wal_autocheckpoint",
            "locking_mode",
            "transaction_mode",
            "open_mode",
            "shared_cache",
            "read_uncommitted",
            "busy_timeout",
            "cache_size",
            "foreign_keys");
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path first; // the file of shard 0, as it was named
    private final Path path;
    private final String url;
    private final FileChannel lockChannel;

    private SqliteFile(Path first, Path path, String url, FileChannel lockChannel) {
        this.first = first;
        this.path = path;
        this.url = url;
        this.lockChannel = lockChannel;
    }

    /** Makes the directory if it is missing. Refuses a file in use, and names the file and its holder. */
    static SqliteFile lock(StoreSettings settings) {
        String parameters = "";
        Path file;
        String url = settings.properties().url();
        if (url == null) {
            file = settings.dataDir().resolve(FILE_NAME);
        } else {
            String rest = url.substring(URL_PREFIX.length());
            int question = rest.indexOf('?');
            parameters = question < 0 ? "" : rest.substring(question);
            refuseOwn(parameters);
            file = pathOf(question < 0 ? rest : rest.substring(0, question), url);
        }
        return lock(file, settings.shardId(), parameters);
    }

    /** Returns the file of a shard, beside the file of shard 0: {@code ringtable-shard-3.db} beside ringtable.db. */
    public static Path ofShard(Path first, int shardId) {
        if (shardId == 0) {
            return first;
        }
        String name = first.getFileName().toString();
        int dot = name.lastIndexOf('.');
        int end = dot > 0 ? dot : name.length();
        return first.resolveSibling(name.substring(0, end) + "-shard-" + shardId + name.substring(end));
    }

    /** Returns how many shards lie beside that of shard 0, by the highest number in the name of a file. */
    int shards() {
        Path directory = first.toAbsolutePath().getParent();
        try (Stream<Path> files = Files.list(directory)) {
            Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            int highest = IntStream.rangeClosed(1, ShardIds.SHARD_MAX)
                    .filter(shard ->
                            names.contains(ofShard(first, shard).getFileName().toString()))
                    .max()
                    .orElse(0);
            return highest + 1;
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE,
                    "RT-3074",
                    "the directory '" + directory + "' cannot be listed: " + reason(e)
                            + "; nothing was changed: let the broker's user read it",
                    e);
        }
    }

    /** Does the same for a file by its name. @param parameters of the JDBC URL, with their question mark, or empty */
    public static SqliteFile lock(Path file, String parameters) {
        return lock(file, 0, parameters);
    }

    private static SqliteFile lock(Path first, int shardId, String parameters) {
        Path file = ofShard(first, shardId);
        try {
            Path parent = file.toAbsolutePath().getParent();
            if (!Files.isDirectory(parent)) { // createDirectories fails on a link to an existing directory
                OwnFiles.createDirectories(parent);
            }
            Path path = real(file.toAbsolutePath());
            SqliteFile locked = new SqliteFile(first, path, URL_PREFIX + path + parameters, lock(path));
            locked.keepToOurselves();
            return locked;
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.NOT_WRITABLE,
                    "RT-3012",
                    "the store's file '" + file.toAbsolutePath() + "' cannot be opened for writing: " + reason(e)
                            + "; nothing was stored: make its directory writable, or set ringtable.data-dir to one"
                            + " that is",
                    e);
        }
    }

    /** Makes the file this user's alone; SQLite gives its log and the log's index the same permissions. */
    private void keepToOurselves() throws IOException {
        try {
            if (Files.notExists(path) && Files.notExists(beside("-wal"))) {
                OwnFiles.create(path); // an empty file is a new store
            }
            for (Path file : List.of(path, beside("-wal"), beside("-shm"))) {
                OwnFiles.tighten(file);
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private Path beside(String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    /** Returns the real path of the file. */
    public Path path() {
        return path;
    }

    /** Returns the JDBC URL, with the parameters of the configured one. */
    String url() {
        return url;
    }

    /** Answers whether nothing has been stored in the file yet. */
    public boolean isNew() {
        try {
            return !Files.exists(path) || Files.size(path) == 0;
        } catch (IOException e) {
            return false; // the connect reports the reason
        }
    }

    @Override
    public void close() {
        if (!lockChannel.isOpen()) {
            return; // closed before; by now another process may have the file
        }
        try {
            lockChannel.close();
        } catch (IOException e) {
            throw new IllegalStateException("RT-3025 the lock of '" + path + "' cannot be released", e);
        } finally {
            HELD_HERE.remove(path);
        }
    }

    private static FileChannel lock(Path path) throws IOException {
        Path lockFile = path.resolveSibling(path.getFileName() + ".lock");
        if (!HELD_HERE.add(path)) {
            throw inUse(path, "this process");
        }
        FileChannel channel = null;
        try {
            OwnFiles.create(lockFile);
            channel = FileChannel.open(lockFile, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(path, holder(channel));
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(("process " + ProcessHandle.current().pid() + System.lineSeparator())
                    .getBytes(StandardCharsets.UTF_8)));
            return channel;
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(path);
            if (channel != null) {
                channel.close();
            }
            throw e;
        }
    }

    private static String holder(FileChannel lockFile) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(128);
        lockFile.read(text, 0);
        String holder = new String(text.array(), 0, text.position(), StandardCharsets.UTF_8).strip();
        return holder.isEmpty() ? "another process" : holder;
    }

    private static StoreFailure inUse(Path path, String holder) {
        return new StoreFailure(
                StoreFailure.Kind.UNAVAILABLE,
                "RT-3024",
                "the store's file '" + path + "' is in use by " + holder
                        + ": a SQLite file serves one broker at a time. Stop that one, or set ringtable.data-dir to"
                        + " another directory");
    }

    /** Returns the real path: two names of one file must find the same lock. */
    private static Path real(Path file) throws IOException {
        return Files.exists(file)
                ? file.toRealPath()
                : file.getParent().toRealPath().resolve(file.getFileName());
    }

    private static Path pathOf(String name, String url) {
        if (name.isBlank() || name.startsWith(":") || name.startsWith("file:")) {
            throw StoreErrors.unsupported(
                    "RT-3009",
                    "ringtable.store.url='" + url
                            + "' names no file: a durable store needs one, as jdbc:sqlite:/path/to/ringtable.db");
        }
        return Path.of(name);
    }

    /** Refuses parameters that the broker sets itself, since durability and the checkpoint thread rest on them. */
    private static void refuseOwn(String parameters) {
        for (String parameter : parameters.replace("?", "").split("&")) {
            String name = parameter.replaceAll("=.*", "").strip().toLowerCase(Locale.ROOT);
            if (SET_HERE.contains(name)) {
                throw StoreErrors.unsupported(
                        "RT-3008",
                        "ringtable.store.url sets '" + parameter + "', which Ringtable sets itself: leave it out");
            }
        }
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName().replaceAll("(Exception)$", "");
        return kind + (e.getMessage() == null ? "" : " " + e.getMessage());
    }
}

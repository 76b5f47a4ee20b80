package io.ringtable.broker.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Holds the statements of one engine, one file each: {@code db/<engine>/statements/<constant in lower case>.sql}. The
 * constructor reads all of them, so that a missing file is found when the store is opened.
 * <p>
 * Immutable. Thread: any.
 *
 * @param <S> the engine's statements by name
 */
public final class StatementFiles<S extends Enum<S>> {
    private final Map<S, String> sql;

    public StatementFiles(String engine, Class<S> statements) {
        sql = new EnumMap<>(statements);
        for (S statement : statements.getEnumConstants()) {
            sql.put(statement, withoutHead(read(path(engine, statement))));
        }
    }

    /** Returns the statement without the comment at its head and the semicolon at its end. */
    public String sql(S statement) {
        return sql.get(statement);
    }

    /** Returns where the statement stands on the class path. */
    public static String path(String engine, Enum<?> statement) {
        return "db/" + engine + "/statements/" + statement.name().toLowerCase(Locale.ROOT) + ".sql";
    }

    private static String withoutHead(String file) {
        String statement = file.lines()
                .dropWhile(line -> line.startsWith("--") || line.isBlank())
                .collect(Collectors.joining("\n"))
                .strip();
        return statement.endsWith(";") ? statement.substring(0, statement.length() - 1) : statement;
    }

    private static String read(String path) {
        try (InputStream file = StatementFiles.class.getClassLoader().getResourceAsStream(path)) {
            if (file == null) {
                throw new IllegalStateException("RT-3000 the statement file " + path + " is not on the class path");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("RT-3000 the statement file " + path + " cannot be read", e);
        }
    }
}

package io.ringtable.cli.manage;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Names what a broker is asked about: segments of a path, and parameters. Thread: any; immutable. */
public final class Resource {
    private final String path;
    private final String query;

    private Resource(String path, String query) {
        this.path = path;
        this.query = query;
    }

    /** @param segments of the path below {@code /api/v1}, as they are: names may have any characters */
    public static Resource of(Object... segments) {
        StringBuilder path = new StringBuilder();
        for (Object segment : segments) {
            path.append('/').append(encoded(segment));
        }
        return new Resource(path.toString(), "");
    }

    /** @param value null and false leave the parameter out */
    public Resource with(String parameter, Object value) {
        return value == null || Boolean.FALSE.equals(value)
                ? this
                : new Resource(path, query + (query.isEmpty() ? '?' : '&') + parameter + '=' + encoded(value));
    }

    private static String encoded(Object value) {
        return URLEncoder.encode(String.valueOf(value), StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns path and query, percent-encoded. */
    @Override
    public String toString() {
        return path + query;
    }
}

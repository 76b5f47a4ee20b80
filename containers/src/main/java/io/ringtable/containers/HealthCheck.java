package io.ringtable.containers;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * Asks the broker in the same container whether it lives, for a runtime that starts a command to learn it. The image
 * has no shell and no HTTP client for that.
 * <p>
 * {@code java -cp … io.ringtable.containers.HealthCheck [PATH]}: {@code /livez} unless another path is given, on the
 * port of {@code SERVER_PORT} (8161). Exit code 0 if the broker answers 200; 1 if not, with the reason.
 */
public final class HealthCheck {
    private static final int TIMEOUT_MS = 3_000;

    private HealthCheck() {}

    /** @param arguments the path, or none */
    public static void main(String[] arguments) {
        String port = System.getenv().getOrDefault("SERVER_PORT", "8161");
        String path = arguments.length > 0 ? arguments[0] : "/livez";
        System.exit(check(URI.create("http://127.0.0.1:" + port + path)) ? 0 : 1);
    }

    private static boolean check(URI uri) {
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK) {
                System.err.println(uri + " answers " + status);
            }
            return status == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            System.err.println(uri + ": " + e.getMessage());
            return false;
        }
    }
}

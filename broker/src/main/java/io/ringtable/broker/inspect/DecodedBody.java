package io.ringtable.broker.inspect;

import tools.jackson.databind.JsonNode;

/**
 * Shows the body of a message: as text, as JSON, or in hexadecimal digits.
 *
 * @param type text, bytes, map, list, stream, object, value, batch, empty, or unreadable
 * @param text null if the body is shown in another way
 * @param json null if the body is shown in another way, or is JSON that was cut
 * @param hex null if the body is shown in another way
 * @param bytes length of the whole body, encoded as it came
 * @param truncated whether there is more than is shown
 * @param note what a reader must know about it; null = nothing
 */
public record DecodedBody(
        String type, String text, JsonNode json, String hex, long bytes, boolean truncated, String note) {}

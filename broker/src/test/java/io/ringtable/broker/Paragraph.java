package io.ringtable.broker;

/**
 * Holds a paragraph, an item, the row of a table or the tag of a comment, in one line.
 *
 * @param line at which it begins in its file, from 1
 */
record Paragraph(int line, String text) {}

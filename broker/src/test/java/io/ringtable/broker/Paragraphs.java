package io.ringtable.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the paragraphs of documents and of comments, with an ellipsis in place of each piece of code. */
final class Paragraphs {
    /** Finds Javadoc, and comments of lines; those of several lines are one. */
    static final Pattern COMMENT =
            Pattern.compile("(?ms)^[ \\t]*/\\*\\*(.*?)\\*/|(?<=\\s)//([^\\n]*(?:\\n[ \\t]*//[^\\n]*)*)");

    private static final Pattern TAG = Pattern.compile("\\{@\\w+[^}]*}");
    private static final Pattern EDGE = Pattern.compile(
            "<p>|</?[uo]l>|</?li>|</?table>|</?t[rdh]>|<pre>.*?</pre>|\\n\\s*(?=@)|\\n\\s*\\n", Pattern.DOTALL);
    /** The first line of a heading, a row or an item. */
    private static final Pattern BEGINNING = Pattern.compile("#+ .*|\\|.*|\\s*([-*]|\\d+\\.)\\s.*");

    private Paragraphs() {}

    /** Returns paragraphs, items and rows, without headings and blocks of code. */
    static List<Paragraph> ofMarkdown(List<String> lines) {
        List<Paragraph> all = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        int begun = 0;
        boolean code = false;
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            boolean fence = line.stripLeading().startsWith("```");
            code ^= fence;
            if (line.isBlank() || fence || BEGINNING.matcher(line).matches()) {
                end(all, begun, current);
            }
            if (!code && !fence && !line.isBlank() && !line.startsWith("#")) {
                begun = current.isEmpty() ? at + 1 : begun;
                current.append(current.isEmpty() ? "" : " ").append(line.strip());
            }
        }
        end(all, begun, current);
        return all;
    }

    private static void end(List<Paragraph> all, int begun, StringBuilder text) {
        if (!text.isEmpty()) {
            all.add(new Paragraph(begun, text.toString().replaceAll("`[^`]*`", "`…`")));
            text.setLength(0);
        }
    }

    /** Returns paragraphs, items and tags of comments, without code and strings. */
    static List<Paragraph> ofJava(String source) {
        List<Paragraph> all = new ArrayList<>();
        Matcher comment = COMMENT.matcher(source);
        while (comment.find()) {
            int group = comment.group(1) == null ? 2 : 1;
            String text = comment.group(group).replaceAll("\\n[ \\t]*(\\*|//)", "\n");
            String spoken = TAG.matcher(text).replaceAll(tag -> "\n".repeat(linesIn(tag.group())) + "…");
            addBlocks(all, 1 + linesIn(source.substring(0, comment.start(group))), spoken);
        }
        return all;
    }

    private static void addBlocks(List<Paragraph> all, int line, String text) {
        Matcher edge = EDGE.matcher(text);
        int from = 0;
        boolean more = true;
        while (more) {
            more = edge.find();
            String block = text.substring(from, more ? edge.start() : text.length());
            if (!block.isBlank()) {
                int blank = block.length() - block.stripLeading().length();
                all.add(new Paragraph(
                        line + linesIn(text.substring(0, from + blank)),
                        block.replaceAll("\\s+", " ").strip()));
            }
            from = more ? edge.end() : from;
        }
    }

    private static int linesIn(String text) {
        return (int) text.chars().filter(each -> each == '\n').count();
    }
}

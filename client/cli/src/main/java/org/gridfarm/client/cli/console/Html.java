package org.gridfarm.client.cli.console;

import org.gridfarm.protocol.name.NameText;

/**
 * Text of a page. What a template's {@code {}} stands for is escaped, unless it is {@code Html}
 * itself: so nothing that a user named becomes markup. Templates are written in this room's code
 * and quote every attribute. For one thread.
 */
final class Html {
    private static final String HOLE = "{}";

    private final StringBuilder text = new StringBuilder();

    static Html of(String template, Object... values) {
        return new Html().add(template, values);
    }

    Html add(String template, Object... values) {
        int at = 0;
        for (Object value : values) {
            int hole = template.indexOf(HOLE, at);
            if (hole < 0) throw new IllegalArgumentException("too many values for " + template);
            text.append(template, at, hole);
            if (value instanceof Html html) text.append(html.text);
            else escape(String.valueOf(value));
            at = hole + HOLE.length();
        }
        if (template.indexOf(HOLE, at) >= 0) {
            throw new IllegalArgumentException("too few values for " + template);
        }
        text.append(template, at, template.length());
        return this;
    }

    Html add(Html other) {
        text.append(other.text);
        return this;
    }

    private void escape(String value) {
        String shown = NameText.shown(value);
        for (int i = 0; i < shown.length(); i++) {
            char c = shown.charAt(i);
            switch (c) {
                case '&' -> text.append("&amp;");
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '"' -> text.append("&quot;");
                case '\'' -> text.append("&#39;");
                // A browser would take these for the end of a line, or for nothing at all.
                default -> text.append(Character.isISOControl(c) ? '\uFFFD' : c);
            }
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

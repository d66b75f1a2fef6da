package org.gridfarm.client.cli.run;

/** One value of an input source: a path in the farm, or any other text. */
public record Argument(String text, boolean isFarmPath) {
    private static final String SCHEME = "gf:";

    /** An absolute path is one in the farm; so is what begins with "gf:/". */
    public static Argument of(String text) {
        return new Argument(text, text.startsWith("/") || text.startsWith(SCHEME + "/"));
    }

    /** The farm path without its scheme. */
    public String path() {
        return text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
    }

    /**
     * The part that a replacement string asks for: "", ".", "/", "//" or "/.". A path is one in the
     * farm: see {@link #isBelowMount}.
     */
    String part(String code) {
        String value = isFarmPath ? path() : text;
        return switch (code) {
            case "", Template.LOCAL -> value;
            case "." -> withoutExtension(value);
            case "//" -> directory(value);
            case "/" -> base(value);
            case "/." -> withoutExtension(base(value));
            default -> throw new IllegalArgumentException(code);
        };
    }

    /** Whether the command sees this part below the node's mount. */
    boolean isBelowMount(String code) {
        return isFarmPath && !code.equals("/") && !code.equals("/.");
    }

    private static String base(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private String directory(String path) {
        int slash = path.lastIndexOf('/');
        if (slash > 0) {
            return path.substring(0, slash);
        }
        return slash == 0 ? "/" : ".";
    }

    private static String withoutExtension(String path) {
        int dot = path.lastIndexOf('.');
        return dot > path.lastIndexOf('/') + 1 ? path.substring(0, dot) : path;
    }
}

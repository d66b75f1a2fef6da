package org.gridfarm.client.cli;

import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Pass phrases of keys: asked for at the terminal, which does not show them, or read from standard
 * input. Never from an argument or the environment, which others can see.
 */
public final class PassPhrases {
    private static final int CHARACTERS_LEAST = 4; // as OpenSSL

    private PassPhrases() {}

    /**
     * Of a key that is there.
     *
     * @param stdin take the first line of standard input
     */
    public static PassPhrase of(String whose, boolean stdin) {
        return () -> Optional.of(stdin ? line() : typed("Pass phrase of " + whose + ": ", whose));
    }

    /**
     * Of a key that is being made: asked for twice. One instance gives one phrase, always the same.
     */
    public static PassPhrase forNew(String whose, boolean stdin) {
        return new PassPhrase() {
            private char @Nullable [] chosen;

            @Override
            public Optional<char[]> ask() {
                char[] phrase = chosen;
                if (phrase == null) {
                    phrase = stdin ? line() : typedTwice(whose);
                    if (phrase.length < CHARACTERS_LEAST) {
                        throw new FarmException(
                                ErrorKind.USAGE,
                                "encrypt",
                                whose,
                                "a pass phrase has at least " + CHARACTERS_LEAST + " characters");
                    }
                    chosen = phrase;
                }
                return Optional.of(phrase.clone());
            }
        };
    }

    private static char[] typedTwice(String whose) {
        char[] phrase = typed("New pass phrase of " + whose + ": ", whose);
        char[] again = typed("The same again: ", whose);
        boolean same = Arrays.equals(phrase, again);
        Arrays.fill(again, ' ');
        if (!same) {
            throw new FarmException(ErrorKind.USAGE, "encrypt", whose, "these are two");
        }
        return phrase;
    }

    private static char[] typed(String prompt, String whose) {
        Console console = System.console();
        char[] phrase = console == null ? null : console.readPassword("%s", prompt);
        if (phrase == null) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "read pass phrase",
                    whose,
                    "there is no terminal to ask at; --password-stdin takes it from standard input");
        }
        return phrase;
    }

    /** To the end of the line, unbuffered: what follows is the next reader's. */
    private static char[] line() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            for (int b = System.in.read(); b >= 0 && b != '\n'; b = System.in.read()) {
                bytes.write(b);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(StandardCharsets.UTF_8).toCharArray();
    }
}

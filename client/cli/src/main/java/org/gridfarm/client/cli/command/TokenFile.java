package org.gridfarm.client.cli.command;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A token that somebody has chosen for a program that listens. */
final class TokenFile {
    private static final int CHARACTERS_MIN = 16;

    private TokenFile() {}

    static String read(Path file) {
        try {
            String token = Files.readString(file).strip();
            if (token.length() < CHARACTERS_MIN) {
                throw new FarmException(
                        ErrorKind.BAD_CONFIGURATION,
                        "read token",
                        file.toString(),
                        "needs "
                                + CHARACTERS_MIN
                                + " characters at least, such as openssl rand -hex 24 makes");
            }
            return token;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read token",
                    file.toString(),
                    "it cannot be read: " + e.getMessage(),
                    e);
        }
    }
}

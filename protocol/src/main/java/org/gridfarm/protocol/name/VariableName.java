package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.Set;

/** The name of a variable that a job may set in the environment of its tasks. */
public record VariableName(String text) {
    /** The shell sets these itself and ends where somebody else does. */
    private static final Set<String> OF_THE_SHELL =
            Set.of("BASHOPTS", "BASH_VERSINFO", "EUID", "OPTIND", "PPID", "SHELLOPTS", "UID");

    /** INVALID for what is no name, or one that the loader of programs or the shell obeys. */
    public VariableName {
        if (!text.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw refused(text, "a name has letters, digits and _ and begins with no digit");
        }
        if (text.startsWith("LD_") || text.equals("GLIBC_TUNABLES")) {
            throw refused(
                    text,
                    "it changes what every program loads: set it within the command, %s=... PROGRAM"
                            .formatted(text));
        }
        if (OF_THE_SHELL.contains(text)) {
            throw refused(text, "the shell sets it itself");
        }
    }

    private static FarmException refused(String text, String why) {
        return new FarmException(
                ErrorKind.INVALID, "environment", NameText.shown(text.replace('\0', '?')), why);
    }

    @Override
    public String toString() {
        return text;
    }
}

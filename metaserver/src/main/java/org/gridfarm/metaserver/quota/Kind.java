package org.gridfarm.metaserver.quota;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.Locale;

/** Whose a quota is. */
public enum Kind {
    USER,
    GROUP,
    DIRECTORY;

    /** As in QuotaImage and on command lines. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Refuses with INVALID. */
    public static Kind of(String text) {
        for (Kind kind : values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw new FarmException(
                ErrorKind.INVALID, "quota", text, "is not user, group or directory");
    }
}

package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * What a lookup found and how far it may be believed.
 *
 * @param attributes null: there is nothing of that name
 * @param entryLeased the name (or its absence) stays true until recalled
 * @param attributesLeased the attributes stay true until recalled
 */
public record Found(
        @Nullable Attributes attributes, boolean entryLeased, boolean attributesLeased) {
    public boolean absent() {
        return attributes == null;
    }

    /** The attributes, or NOT_FOUND with the words given. */
    public Attributes require(String operation, String subject) {
        if (attributes == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, operation, subject);
        }
        return attributes;
    }
}

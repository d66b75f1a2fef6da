package org.gridfarm.metaserver.commit;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be reached or failed in a way that a later attempt may mend. The message is for
 * people.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

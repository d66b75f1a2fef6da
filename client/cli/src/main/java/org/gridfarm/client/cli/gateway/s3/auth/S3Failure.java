package org.gridfarm.client.cli.gateway.s3.auth;

import org.jspecify.annotations.Nullable;

/** A request of S3 that is refused, by a code of S3. */
public final class S3Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final S3Code code;

    public S3Failure(S3Code code, String message) {
        this(code, message, null);
    }

    public S3Failure(S3Code code, String message, @Nullable Throwable cause) {
        super(message, cause, false, false); // an ordinary answer
        this.code = code;
    }

    public S3Code code() {
        return code;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

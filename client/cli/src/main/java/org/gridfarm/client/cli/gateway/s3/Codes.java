package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.protocol.error.ErrorKind;

/** What a failure of the farm is in S3. */
public final class Codes {
    private Codes() {}

    public static S3Code of(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND, STALE, NO_ATTRIBUTE -> S3Code.NO_SUCH_KEY;
            case NOT_A_DIRECTORY, IS_A_DIRECTORY -> S3Code.KEY_CONFLICT;
            case ALREADY_EXISTS -> S3Code.PRECONDITION_FAILED;
            case NOT_EMPTY -> S3Code.BUCKET_NOT_EMPTY;
            case ACCESS_DENIED, NOT_PERMITTED, READ_ONLY, TICKET_REFUSED, NOT_AUTHENTICATED ->
                    S3Code.ACCESS_DENIED;
            case RANGE -> S3Code.INVALID_RANGE;
            case NAME_TOO_LONG -> S3Code.KEY_TOO_LONG;
            case INVALID, TOO_BIG, USAGE, LINK_LOOP -> S3Code.INVALID_ARGUMENT;
            case UNSUPPORTED -> S3Code.NOT_OFFERED;
            case FILE_TOO_LARGE -> S3Code.ENTITY_TOO_LARGE;
            case NO_SPACE, QUOTA_EXCEEDED -> S3Code.STORAGE_FULL;
            // Of the others, plain HTTP has the table already.
            default ->
                    switch (Failure.of(kind).status()) {
                        case 409 -> S3Code.OPERATION_ABORTED;
                        case 503 -> S3Code.SERVICE_UNAVAILABLE;
                        default -> S3Code.INTERNAL_ERROR;
                    };
        };
    }
}
